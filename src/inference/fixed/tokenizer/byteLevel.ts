/** The vocabularies of GPT-2, Llama 3, Qwen and SmolLM: merges of bytes, in a list by rank. */
import { utf8 } from '../../../base/bytes.ts'
import { unsupported } from '../shape.ts'
import { fromByteCharacters, toByteCharacters } from './byteAlphabet.ts'
import { mergeNeighbours } from './mergeNeighbours.ts'
import { PRE_TOKENIZERS, splitText } from './preTokenizers.ts'
import type { Coder } from './sentencePiece.ts'
import { readTexts, TOKEN_TYPE, type Vocabulary } from './vocabulary.ts'

/** Prepares a vocabulary. Throws InferenceError `unsupported-model` for pre-tokenizers that are not known, which it names. */
export function createByteLevel({ texts, types, ids, read }: Vocabulary): Coder {
  const name = read('pre') ?? 'default'
  const preTokenizer = typeof name === 'string' ? PRE_TOKENIZERS.get(name) : undefined
  if (preTokenizer === undefined)
    throw unsupported(
      `its pre-tokenizer is ${JSON.stringify(name).slice(0, 100)}; supported: ${[...PRE_TOKENIZERS.keys()].join(', ')}`,
    )
  const { steps, ignoresMerges = false, addsBos = false } = preTokenizer
  const ranks = new Map<string, number>()
  readTexts(read('merges'), 'merges').forEach((merge, rank) => {
    if (!ranks.has(merge)) ranks.set(merge, rank)
  })
  const rankOf = (left: string, right: string): number | undefined => ranks.get(`${left} ${right}`)
  const encodePiece = (piece: string): readonly number[] => {
    const characters = toByteCharacters(piece)
    const whole = ids.get(characters.join(''))
    if (ignoresMerges && whole !== undefined) return [whole]
    return mergeNeighbours(characters, rankOf).flatMap(toIds)
  }
  // What is in no token is dropped, as llama.cpp does; it looks for single ASCII characters first.
  const toIds = (text: string): readonly number[] => {
    const id = ids.get(text)
    if (id !== undefined) return [id]
    return Array.from(text).flatMap((character) =>
      character < '\u0080' ? (ids.get(character) ?? []) : [],
    )
  }
  return {
    addsBos,
    encode: (text) => splitText(steps, text).flatMap(encodePiece),
    bytesOf(token) {
      const text = texts[token] ?? ''
      const type = types[token]
      if (type === TOKEN_TYPE.userDefined) return utf8(text)
      return type === TOKEN_TYPE.normal ? fromByteCharacters(text) : new Uint8Array()
    },
  }
}
