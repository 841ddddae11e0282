/** Vocabularies of byte-level BPE for tests, made from a seed, and texts of many scripts. */
import { encodeGguf, type GgufValue } from '../../src/inference/ggufWriter.ts'
import {
  BYTE_CHARACTERS,
  toByteCharacters,
} from '../../src/inference/fixed/tokenizer/byteAlphabet.ts'

/** A generator of numbers in [0, 1), the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** First and last code points. */
const SCRIPTS: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0x61, 0x7a],
  [0x30, 0x39],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x4ff],
  [0x590, 0x6ff],
  [0x900, 0xe7f],
  [0x2000, 0x206f],
  [0x2150, 0x218f],
  [0x3040, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0x1f300, 0x1faff],
  [0x10000, 0x10fff],
  [0x1, 0x1f],
  [0xe000, 0x10ffff],
]

const SNIPPETS: readonly string[] = [
  ..."'s 'S 're 'LL '".split(' '),
  '  ',
  '   ',
  '\n',
  '\r\n',
  '\n\n',
  '\t',
  ' \n ',
  '/\n',
  ' the',
  'The ',
  ..."... !? /* :// HTTPServer camelCase don't 12345 3.14".split(' '),
  ...'\u00a0 \u3000 \ufeff \u0085 \u200b \u2581 \u017f \u212a \u00e9 e\u0301'.split(' '),
  ...'<|im_end|> <|im_start|> <|im_end </s> <s> <0x41> <tool> <tool'.split(' '),
]

/** A text of up to a dozen parts: characters of one script, or what pre-tokenizers treat in a way of its own. */
export function randomText(random: () => number): string {
  const below = (count: number): number => Math.floor(random() * count)
  const part = (): string => {
    if (random() < 0.4) return SNIPPETS[below(SNIPPETS.length)] as string
    const [first, last] = SCRIPTS[below(SCRIPTS.length)] as readonly [number, number]
    return Array.from({ length: 1 + below(8) }, () =>
      random() < 0.12 ? ' ' : String.fromCodePoint(first + below(last - first + 1)),
    ).join('')
  }
  return Array.from({ length: below(12) }, part).join('')
}

let learnt: readonly string[] | undefined

/** Merges that texts suggest: their most frequent pairs, one after the other. */
function learnMerges(count: number): readonly string[] {
  const random = randomNumbers(3)
  const texts = Array.from({ length: 100 }, () => randomText(random))
  const words = texts
    .flatMap((text) => text.split(/(?= )/))
    .map((word) => [...toByteCharacters(word)])
  const merges: string[] = []
  while (merges.length < count) {
    const counts = new Map<string, number>()
    for (const word of words)
      for (let i = 1; i < word.length; i++) {
        const pair = `${word[i - 1]} ${word[i]}`
        counts.set(pair, (counts.get(pair) ?? 0) + 1)
      }
    const [best] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    if (best === undefined) break
    const [pair] = best
    merges.push(pair)
    for (const word of words)
      for (let i = 1; i < word.length; i++)
        if (`${word[i - 1]} ${word[i]}` === pair) word.splice(i - 1, 2, pair.replace(' ', ''))
  }
  return merges
}

/** Named tokens of the vocabularies: a control token that ends a text, one that begins a turn, and a user-defined one. */
export const NAMED = ['<|im_end|>', '<|im_start|>', '<tool>'] as const

/** Metadata of a vocabulary with a pre-tokenizer, without the rest of a model. `leaveOut`: characters that are no tokens. */
export function byteLevelVocabulary(
  pre: string | undefined,
  leaveOut = '',
): Readonly<Record<string, GgufValue>> {
  const merges = (learnt ??= learnMerges(200))
  const alphabet = BYTE_CHARACTERS.filter((character) => !leaveOut.includes(character))
  const merged = merges.map((merge) => merge.replace(' ', ''))
  const tokens = [...new Set([...NAMED, ...alphabet, ...merged])]
  const types = tokens.map((_, id) => (id < 2 ? 3 : id === 2 ? 4 : 1))
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'llama.context_length': { type: 'uint32', value: 128 },
    'llama.embedding_length': { type: 'uint32', value: 32 },
    'llama.block_count': { type: 'uint32', value: 1 },
    'llama.feed_forward_length': { type: 'uint32', value: 32 },
    'llama.attention.head_count': { type: 'uint32', value: 1 },
    'llama.attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-5 },
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    ...(pre === undefined ? {} : { 'tokenizer.ggml.pre': { type: 'string', value: pre } }),
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
    'tokenizer.ggml.token_type': { type: 'int32s', value: types },
    'tokenizer.ggml.merges': { type: 'strings', value: merges },
    'tokenizer.ggml.bos_token_id': { type: 'uint32', value: 1 },
    'tokenizer.ggml.eos_token_id': { type: 'uint32', value: 0 },
  }
}

/** A file with nothing but metadata. */
export function encodeVocabulary(metadata: Readonly<Record<string, GgufValue>>): Uint8Array {
  return encodeGguf(metadata, [])
}
