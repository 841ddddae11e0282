/**
 * Kinds of arguments, each parsed from JSON parameters and from URI queries, which have different rules. `type` is Go's
 * name of the kind, which error messages show.
 */
import { fromBase64 } from '../base/base64.ts'
import { BOUNDS } from '../base/bounds.ts'
import type { JsonSize } from '../base/jsonSize.ts'
import { utf8 } from '../base/bytes.ts'
import { messageOf } from '../base/errors.ts'
import { decodeGoHex } from '../consensus/goHex.ts'
import { jsonTypeName, parseGoJson, shownJson } from './goJson.ts'

/** An argument that cannot be parsed. The message is CometBFT's where it has one. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

export type Argument<T> = {
  readonly type: string
  /** The value when the caller gives none, null, or an empty URI value. */
  readonly absent: T
  /** What is larger is refused unread (D70). */
  readonly limit: JsonSize
  fromJson(value: unknown): T
  fromUri(text: string): T
}

/** Values of a wrong type count too: their error shows them. */
const SCALAR: JsonSize = { values: BOUNDS.list, characters: 4 * BOUNDS.scalar }
const BYTES: JsonSize = { values: BOUNDS.list, characters: BOUNDS.data }
/** Names of peers, and evidence. */
export const LARGE: JsonSize = { values: BOUNDS.ownValues, characters: BOUNDS.data }

/** The same kind, undefined when the caller gives none. */
export function optional<T>(argument: Argument<T>): Argument<T | undefined> {
  return { ...argument, absent: undefined }
}

function wrongType(value: unknown, type: string): ArgumentError {
  return new ArgumentError(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`,
  )
}

/** A JSON value that is bare in a URI or in quotes. */
function jsonOf(text: string): unknown {
  try {
    return parseGoJson(text)
  } catch (error) {
    throw new ArgumentError(messageOf(error))
  }
}

const isHexArgument = (text: string): boolean => /^0x/i.test(text)

function hexDigits(digits: string): Uint8Array {
  const bytes = decodeGoHex(digits)
  if (bytes instanceof Uint8Array) return bytes
  throw new ArgumentError(bytes.fault)
}

function integer(type: string, min: bigint, max: bigint): Argument<bigint> {
  /** Go parses the text between the quotes as JSON of its own. */
  const parse = (text: string): bigint => {
    const value = /^-?(?:0|[1-9]\d*)$/.test(text) ? text : jsonOf(text)
    if (value === null) return 0n
    if (typeof value !== 'string' || value !== text)
      throw typeof value === 'number'
        ? new ArgumentError(`json: cannot unmarshal number ${text} into Go value of type ${type}`)
        : wrongType(value, type)
    const number = text.length > MAX_INTEGER_LENGTH ? undefined : BigInt(text)
    if (number !== undefined && number >= min && number <= max) return number
    throw new ArgumentError(`json: cannot unmarshal number ${text} into Go value of type ${type}`)
  }
  const notQuoted = (shown: string): ArgumentError =>
    new ArgumentError(`invalid 64-bit integer encoding ${JSON.stringify(shown)}, expected string`)
  return {
    type,
    absent: 0n,
    limit: SCALAR,
    fromJson(value) {
      if (typeof value === 'string') return parse(value)
      throw notQuoted(shownJson(value))
    },
    fromUri(text) {
      if (/^-?[0-9]+$/.test(text)) return parse(text)
      if (isHexArgument(text)) {
        throw new ArgumentError(`got a hex string arg, but expected '${type}'`)
      }
      if (!text.startsWith('"')) throw notQuoted(text)
      return parse(text.slice(1, -1))
    },
  }
}

/** More digits than any 64-bit integer has. */
const MAX_INTEGER_LENGTH = 20

const INT64_MAX = 2n ** 63n - 1n

/** Heights. */
export const int64 = integer('int64', -(2n ** 63n), INT64_MAX)
/** Pages and limits. */
export const int = integer('int', -(2n ** 63n), INT64_MAX)
export const uint = integer('uint', 0n, 2n ** 64n - 1n)

function stringOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw wrongType(value, 'string')
}

/** Text. In a URI it is quoted as in JSON, or the hex of its bytes. */
export const text: Argument<string> = {
  type: 'string',
  absent: '',
  limit: SCALAR,
  fromJson: stringOf,
  fromUri: (uri) =>
    isHexArgument(uri) ? Buffer.from(hexDigits(uri.slice(2))).toString() : stringOf(jsonOf(uri)),
}

/** In a URI both kinds of bytes are 0x and hex, or a quoted text that represents its own bytes. */
function bytesOfUri(uri: string): Uint8Array {
  if (isHexArgument(uri)) return hexDigits(uri.slice(2))
  const value = jsonOf(uri)
  if (typeof value !== 'string') throw wrongType(value, '[]uint8')
  return utf8(value)
}

/**
 * Offset at which Go stops decoding base64: the first invalid character, or the start of an incomplete group of four.
 */
function base64Fault(text: string): number {
  const wrong = text.search(/[^A-Za-z0-9+/=]|=(?!=?$)/)
  return wrong >= 0 ? wrong : text.length - (text.length % 4)
}

/** Bytes encoded as base64 in JSON. */
export const bytes: Argument<Uint8Array> = {
  type: 'slice',
  absent: new Uint8Array(0),
  limit: BYTES,
  fromJson(value) {
    if (typeof value !== 'string') throw wrongType(value, '[]uint8')
    const decoded = fromBase64(value)
    if (decoded === undefined)
      throw new ArgumentError(`illegal base64 data at input byte ${base64Fault(value)}`)
    return decoded
  },
  fromUri: bytesOfUri,
}

/** Bytes encoded as hex digits in JSON. */
export const hexBytes: Argument<Uint8Array> = {
  type: 'slice',
  absent: new Uint8Array(0),
  limit: BYTES,
  fromJson(value) {
    if (typeof value === 'string') return hexDigits(value)
    throw new ArgumentError(`invalid hex string: ${shownJson(value)}`)
  },
  fromUri: bytesOfUri,
}

/** A list of texts. */
export const texts: Argument<readonly string[]> = {
  type: 'slice',
  absent: [],
  limit: LARGE,
  fromJson(value) {
    if (Array.isArray(value)) return value.map(stringOf)
    throw wrongType(value, '[]string')
  },
  fromUri(uri) {
    if (isHexArgument(uri)) throw new ArgumentError("got a hex string arg, but expected 'slice'")
    return texts.fromJson(jsonOf(uri))
  },
}

function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw wrongType(value, 'bool')
}

export const flag: Argument<boolean> = {
  type: 'bool',
  absent: false,
  limit: SCALAR,
  fromJson: booleanOf,
  fromUri(uri) {
    if (isHexArgument(uri)) throw new ArgumentError("got a hex string arg, but expected 'bool'")
    return booleanOf(jsonOf(uri))
  },
}
