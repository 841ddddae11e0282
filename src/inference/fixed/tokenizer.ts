/** The tokenizer of Llama models: SentencePiece's byte-pair merges by score, with a token per byte for everything else. */
import { utf8 } from '../../base/bytes.ts'
import { createHeap } from './heap.ts'
import type { MetadataValue, ModelHead } from './modelFile.ts'
import { unsupported } from './shape.ts'

export type Tokenizer = {
  /**
   * Tokens of a text. Text never yields control tokens; the first token is the beginning-of-sequence token if the model
   * wants one.
   */
  encode(text: string): readonly number[]
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

/** Numbers of the token types that have a text. */
const TYPE = { normal: 1, userDefined: 4, byte: 6 } as const

/** SentencePiece writes a space as U+2581. */
const SPACE = '\u2581'
const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/

type Piece = { text: string; previous: number; next: number }
type Merge = {
  readonly left: number
  readonly right: number
  readonly text: string
  readonly score: number
}

/** Reads a tokenizer. Throws InferenceError `unsupported-model` for other kinds than SentencePiece's. */
export function readTokenizer({ metadata }: ModelHead): Tokenizer {
  const read = (name: string): MetadataValue | undefined => metadata.get(`tokenizer.ggml.${name}`)
  const kind = read('model')
  if (kind !== 'llama')
    throw unsupported(`its tokenizer is ${JSON.stringify(kind)?.slice(0, 100)}; supported: llama`)
  const texts = readList(read('tokens'), 'tokens', isText)
  const scores = readList(read('scores'), 'scores', isNumber)
  const types = readList(read('token_type'), 'token_type', isNumber)
  if (scores.length !== texts.length || types.length !== texts.length)
    throw unsupported('its lists of tokens, scores and types differ in length')
  const ids = new Map(texts.map((text, id) => [text, id]))
  const special = (name: string): number | undefined => {
    const id = read(`${name}_token_id`)
    return typeof id === 'number' && id < texts.length ? id : undefined
  }
  const bos = special('bos')
  const unknown = special('unknown') ?? 0
  const ends = new Set([special('eos'), special('eot')])
  const spacePrefix = read('add_space_prefix') !== false
  const addBos = read('add_bos_token') !== false
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`) ?? unknown,
  )
  const toIds = (text: string): readonly number[] => {
    const id = ids.get(text)
    return id === undefined ? Array.from(utf8(text), (byte) => bytes[byte] as number) : [id]
  }
  return {
    encode(text) {
      const escaped = `${spacePrefix && text !== '' ? ' ' : ''}${text}`.replaceAll(' ', SPACE)
      const tokens = mergePieces(escaped, ids, scores).flatMap(toIds)
      // An empty input cannot be evaluated, so it always starts with a token.
      if (bos !== undefined && (addBos || tokens.length === 0)) return [bos, ...tokens]
      return tokens.length === 0 ? [unknown] : tokens
    },
    isEnd: (token) => ends.has(token),
    decoder: () => createDecoder(texts, types),
  }
}

/**
 * Splits a text into characters, and merges the neighbours with the highest score, leftmost first, until none is a
 * token.
 */
function mergePieces(
  text: string,
  ids: ReadonlyMap<string, number>,
  scores: readonly number[],
): readonly string[] {
  const pieces = Array.from(text, (character, i): Piece => ({
    text: character,
    previous: i - 1,
    next: i + 1,
  }))
  const merges = createHeap<Merge>((a, b) =>
    a.score === b.score ? a.left < b.left : a.score > b.score,
  )
  const propose = (left: number, right: number): void => {
    const [first, second] = [pieces[left], pieces[right]]
    if (first === undefined || second === undefined) return
    const text = first.text + second.text
    const id = ids.get(text)
    if (id !== undefined) merges.push({ left, right, text, score: scores[id] as number })
  }
  for (let i = 1; i < pieces.length; i++) propose(i - 1, i)
  for (let merge = merges.pop(); merge !== undefined; merge = merges.pop()) {
    const left = pieces[merge.left] as Piece
    const right = pieces[merge.right] as Piece
    // A piece that has since been merged has another text, or none.
    if (left.text === '' || right.text === '' || left.text + right.text !== merge.text) continue
    left.text = merge.text
    right.text = ''
    left.next = right.next
    const after = pieces[right.next]
    if (after !== undefined) after.previous = merge.left
    propose(left.previous, merge.left)
    propose(merge.left, left.next)
  }
  return pieces.map(({ text }) => text).filter((text) => text !== '')
}

function createDecoder(texts: readonly string[], types: readonly number[]): Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const bytesOf = (token: number): Uint8Array => {
    const text = texts[token] ?? ''
    const type = types[token]
    if (type === TYPE.byte)
      return Uint8Array.of(Number.parseInt(BYTE_TOKEN.exec(text)?.[1] ?? '3F', 16))
    const isText = type === TYPE.normal || type === TYPE.userDefined
    return utf8(isText ? text.replaceAll(SPACE, ' ') : '')
  }
  return {
    push: (token) => decoder.decode(bytesOf(token), { stream: true }),
    end: () => decoder.decode(),
  }
}

const isText = (value: MetadataValue): value is string => typeof value === 'string'
const isNumber = (value: MetadataValue): value is number => typeof value === 'number'

function readList<T extends MetadataValue>(
  value: MetadataValue | undefined,
  name: string,
  isElement: (element: MetadataValue) => element is T,
): readonly T[] {
  if (Array.isArray(value) && value.every(isElement)) return value
  throw unsupported(`tokenizer.ggml.${name} is missing or of the wrong type`)
}
