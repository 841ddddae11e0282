/** Turns texts into tokens and back, as the model's file says. Tokens are those of llama.cpp, for every text. */
import type { MetadataValue, ModelHead } from '../modelFile.ts'
import { unsupported } from '../shape.ts'
import { createByteLevel } from './byteLevel.ts'
import { chatFragments, specialTokensOf } from './chatFragments.ts'
import { createSentencePiece, type Coder } from './sentencePiece.ts'
import type { Fragment } from './specialTokens.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'

export type Tokenizer = {
  /**
   * Tokens of a text. Text never yields control tokens; the first token is the beginning-of-sequence token if the model
   * wants one.
   */
  encode(text: string): readonly number[]
  /**
   * Tokens of a text that a chat template made: here the names of control tokens become them. `guard` is a character that
   * breaks the names that a user wrote, and is dropped.
   */
  encodeChat(text: string, guard: string): readonly number[]
  /** Where a text names control tokens: beginnings, ascending. */
  controlsIn(text: string): readonly number[]
  /** Whether a token ends a generation. */
  isEnd(token: number): boolean
  /** A decoder of one output. */
  decoder(): Decoder
}

/** Decodes tokens incrementally. Bytes of an incomplete character are held back. */
export type Decoder = {
  push(token: number): string
  /** The text that was held back; an incomplete character becomes the replacement character. */
  end(): string
}

const CODERS: ReadonlyMap<MetadataValue | undefined, (vocabulary: Vocabulary) => Coder> = new Map([
  ['llama', createSentencePiece],
  ['gpt2', createByteLevel],
])

/** Reads a tokenizer. Throws InferenceError `unsupported-model` for kinds that are not known. */
export function readTokenizer(head: ModelHead): Tokenizer {
  const vocabulary = readVocabulary(head)
  const { read, bos, unknown = 0, ends } = vocabulary
  const kind = read('model')
  const create = CODERS.get(kind)
  if (create === undefined)
    throw unsupported(
      `its tokenizer is ${JSON.stringify(kind)?.slice(0, 100)}; supported: ${[...CODERS.keys()].join(', ')}`,
    )
  const coder = create(vocabulary)
  const special = specialTokensOf(head, vocabulary)
  const given = read('add_bos_token')
  const addsBos = typeof given === 'boolean' ? given : coder.addsBos

  const encodeFragments = (fragments: readonly Fragment[]): readonly number[] =>
    fragments.flatMap((fragment, i) => {
      if ('token' in fragment) return [fragment.token]
      const before = fragments[i - 1]
      return coder.encode(fragment.text, before === undefined || 'token' in before)
    })
  const finish = (tokens: readonly number[], hasBos: boolean): readonly number[] => {
    // An empty input cannot be evaluated, so it always starts with a token.
    if (bos !== undefined && !hasBos && (addsBos || tokens.length === 0)) return [bos, ...tokens]
    return tokens.length === 0 ? [unknown] : tokens
  }
  return {
    encode: (text) => finish(encodeFragments(special.cut(text, false)), false),
    encodeChat(text, guard) {
      const tokens = encodeFragments(chatFragments(special, text, guard))
      // Templates write the first token themselves, as a rule.
      return finish(tokens, tokens[0] === bos)
    },
    controlsIn: (text) => special.controlsIn(text),
    isEnd: (token) => ends.has(token),
    decoder: () => createDecoder(coder),
  }
}

function createDecoder(coder: Coder): Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    push: (token) => decoder.decode(coder.bytesOf(token), { stream: true }),
    end: () => decoder.decode(),
  }
}
