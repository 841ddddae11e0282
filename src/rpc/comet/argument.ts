/**
 * Kinds of arguments, each read from JSON parameters and from URI queries: the two have different rules. `type` is Go's
 * name of the kind, which error messages show.
 */
import { fromBase64 } from '../../base/base64.ts'
import { utf8 } from '../../base/bytes.ts'
import { decodeGoHex } from '../../consensus/goHex.ts'

/** An argument that cannot be read. The message is CometBFT's where it has one. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError'
}

export type Argument<T> = {
  readonly type: string
  /** The value when the caller gives none, or null, or an empty URI value. */
  readonly absent: T
  fromJson(value: unknown): T
  fromUri(text: string): T
}

/** The same kind, undefined when the caller gives none. */
export function optional<T>(argument: Argument<T>): Argument<T | undefined> {
  return { ...argument, absent: undefined }
}

/** How an unfitting JSON value is named in an error: never its content, which may be large or deep. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function wrongType(value: unknown, type: string): ArgumentError {
  return new ArgumentError(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`,
  )
}

/** A JSON value that stands bare in a URI. */
function jsonOfUri(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const [first = ''] = text
    throw new ArgumentError(`invalid character '${first}' looking for beginning of value`)
  }
}

const isHexArgument = (text: string): boolean => /^0x/i.test(text)

function hexDigits(digits: string): Uint8Array {
  const bytes = decodeGoHex(digits)
  if (bytes instanceof Uint8Array) return bytes
  throw new ArgumentError(bytes.fault)
}

function integer(type: string, min: bigint, max: bigint): Argument<bigint> {
  const parse = (text: string): bigint => {
    if (!/^-?(?:0|[1-9]\d{0,19})$/.test(text)) throw wrongType(text, type)
    const value = BigInt(text)
    if (value < min || value > max) {
      throw new ArgumentError(`json: cannot unmarshal number ${text} into Go value of type ${type}`)
    }
    return value
  }
  const fromJson = (value: unknown): bigint => {
    if (typeof value === 'string') return parse(value)
    const shown = typeof value === 'number' ? String(value) : jsonTypeName(value)
    throw new ArgumentError(`invalid 64-bit integer encoding "${shown}", expected string`)
  }
  return {
    type,
    absent: 0n,
    fromJson,
    fromUri(text) {
      if (/^-?[0-9]+$/.test(text)) return parse(text)
      if (isHexArgument(text)) {
        throw new ArgumentError(`got a hex string arg, but expected '${type}'`)
      }
      return fromJson(jsonOfUri(text))
    },
  }
}

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
  fromJson: stringOf,
  fromUri: (uri) =>
    isHexArgument(uri) ? Buffer.from(hexDigits(uri.slice(2))).toString() : stringOf(jsonOfUri(uri)),
}

/** In a URI both kinds of bytes are 0x and hex, or a quoted text that stands for its own bytes. */
function bytesOfUri(uri: string): Uint8Array {
  if (isHexArgument(uri)) return hexDigits(uri.slice(2))
  const value = jsonOfUri(uri)
  if (typeof value !== 'string') throw wrongType(value, '[]uint8')
  return utf8(value)
}

/** Bytes that are base64 in JSON. */
export const bytes: Argument<Uint8Array> = {
  type: 'slice',
  absent: new Uint8Array(0),
  fromJson(value) {
    if (typeof value !== 'string') throw wrongType(value, '[]uint8')
    const decoded = fromBase64(value)
    if (decoded === undefined) throw new ArgumentError('illegal base64 data')
    return decoded
  },
  fromUri: bytesOfUri,
}

/** Bytes that are hex digits in JSON. */
export const hexBytes: Argument<Uint8Array> = {
  type: 'slice',
  absent: new Uint8Array(0),
  fromJson(value) {
    if (typeof value === 'string') return hexDigits(value)
    throw wrongType(value, 'bytes.HexBytes')
  },
  fromUri: bytesOfUri,
}

function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw wrongType(value, 'bool')
}

export const flag: Argument<boolean> = {
  type: 'bool',
  absent: false,
  fromJson: booleanOf,
  fromUri(uri) {
    if (isHexArgument(uri)) throw new ArgumentError("got a hex string arg, but expected 'bool'")
    return booleanOf(jsonOfUri(uri))
  },
}
