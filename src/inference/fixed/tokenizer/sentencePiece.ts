/** The vocabularies of Llama 2, Mistral, Gemma and Phi-3: SentencePiece's merges by score, and a token per byte for the rest. */
import { utf8 } from '../../../base/bytes.ts'
import { unsupported } from '../shape.ts'
import { mergeNeighbours } from './mergeNeighbours.ts'
import { isNumber, readList, TOKEN_TYPE, type Vocabulary } from './vocabulary.ts'

/** How a kind of vocabulary turns text into tokens and back. */
export type Coder = {
  /** Tokens of a text without named ones. `isFirst`: it begins the input, or follows a named token. */
  encode(text: string, isFirst: boolean): readonly number[]
  /** Bytes that a token stands for; none for control tokens. */
  bytesOf(token: number): Uint8Array
  /** Whether an input begins with the beginning-of-sequence token if the file does not say. */
  readonly addsBos: boolean
}

/** SentencePiece writes a space as U+2581. */
const SPACE = '\u2581'
const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/

/** Prepares a vocabulary. Throws InferenceError `unsupported-model` when its lists do not fit. */
export function createSentencePiece(vocabulary: Vocabulary): Coder {
  const { texts, types, ids, read } = vocabulary
  const scores = readList(read('scores'), 'scores', isNumber)
  if (scores.length !== texts.length)
    throw unsupported('its lists of tokens, scores and types differ in length')
  const hasPrefix = read('add_space_prefix') !== false
  const unknown = vocabulary.unknown ?? 0
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`) ?? unknown,
  )
  const toIds = (text: string): readonly number[] => {
    const id = ids.get(text)
    return id === undefined ? Array.from(utf8(text), (byte) => bytes[byte] as number) : [id]
  }
  const rankOf = (left: string, right: string): number | undefined => {
    const id = ids.get(left + right)
    return id === undefined ? undefined : -(scores[id] as number)
  }
  return {
    addsBos: true,
    encode(text, isFirst) {
      const escaped = `${hasPrefix && isFirst ? ' ' : ''}${text}`.replaceAll(' ', SPACE)
      return mergeNeighbours(Array.from(escaped), rankOf).flatMap(toIds)
    },
    bytesOf(token) {
      const text = texts[token] ?? ''
      const type = types[token]
      if (type === TOKEN_TYPE.byte)
        return Uint8Array.of(Number.parseInt(BYTE_TOKEN.exec(text)?.[1] ?? '3F', 16))
      if (type === TOKEN_TYPE.userDefined) return utf8(text)
      return utf8(type === TOKEN_TYPE.normal ? text.replaceAll(SPACE, ' ') : '')
    },
  }
}
