/**
 * The part of CBOR (RFC 8949) that attestation documents use: integers, byte and text strings, arrays, maps and null,
 * in definite lengths; maps also in indefinite ones, as Nitro writes them. Encoding is deterministic (4.2): shortest
 * heads, map keys sorted by their encoded bytes.
 */
import { compareBytes, concatBytes, utf8 } from '../base/bytes.ts'

/** A decoded value. Integers are limited to the safe range of a number. */
export type CborValue =
  | number
  | string
  | null
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<CborKey, CborValue>
export type CborKey = number | string

/** The bytes are not the CBOR that this reader accepts. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

const MAX_DEPTH = 16
const INDEFINITE_MAP = 0xbf
const BREAK = 0xff

function head(major: number, value: number): Uint8Array {
  const tag = major << 5
  if (value < 24) return Uint8Array.of(tag | value)
  const size = value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x100000000 ? 4 : 8
  const out = new Uint8Array(1 + size)
  out[0] = tag | (24 + Math.log2(size))
  const view = new DataView(out.buffer, 1)
  if (size === 8) view.setBigUint64(0, BigInt(value))
  else for (let i = 0; i < size; i++) out[size - i] = Math.floor(value / 256 ** i) & 0xff
  return out
}

/** The deterministic encoding of a value. Throws RangeError on numbers that are not safe integers. */
export function encodeCbor(value: CborValue): Uint8Array {
  if (value === null) return Uint8Array.of(0xf6)
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError('only safe integers are encoded')
    return value >= 0 ? head(0, value) : head(1, -1 - value)
  }
  if (typeof value === 'string') {
    const text = utf8(value)
    return concatBytes(head(3, text.length), text)
  }
  if (value instanceof Uint8Array) return concatBytes(head(2, value.length), value)
  if (value instanceof Map) return encodeMap(value as ReadonlyMap<CborKey, CborValue>)
  const items = value as readonly CborValue[]
  return concatBytes(head(4, items.length), ...items.map(encodeCbor))
}

function encodeMap(map: ReadonlyMap<CborKey, CborValue>): Uint8Array {
  const entries = [...map]
    .map(([key, value]) => ({ key: encodeCbor(key), value: encodeCbor(value) }))
    .sort((a, b) => compareBytes(a.key, b.key))
  return concatBytes(head(5, map.size), ...entries.flatMap(({ key, value }) => [key, value]))
}

/** The one value that the bytes hold. Throws CborError on anything else, including trailing bytes. */
export function decodeCbor(bytes: Uint8Array): CborValue {
  const reader = { bytes, offset: 0 }
  const value = readValue(reader, 0)
  if (reader.offset !== bytes.length) throw new CborError('bytes are left over')
  return value
}

type Reader = { readonly bytes: Uint8Array; offset: number }

function take(reader: Reader, length: number): Uint8Array {
  const end = reader.offset + length
  if (end > reader.bytes.length) throw new CborError('the bytes end early')
  const part = reader.bytes.subarray(reader.offset, end)
  reader.offset = end
  return part
}

function readArgument(reader: Reader, info: number): number {
  if (info < 24) return info
  if (info > 27) throw new CborError('indefinite lengths are not accepted')
  let value = 0
  for (const byte of take(reader, 2 ** (info - 24))) value = value * 256 + byte
  if (!Number.isSafeInteger(value)) throw new CborError('an integer is too large')
  return value
}

function readValue(reader: Reader, depth: number): CborValue {
  if (depth > MAX_DEPTH) throw new CborError('values are nested too deeply')
  const first = take(reader, 1)[0] as number
  if (first === 0xf6) return null
  const major = first >> 5
  if (major > 5) throw new CborError(`major type ${major} is not accepted`)
  // Some versions of the Nitro security module write their payload as a map of indefinite length.
  if (first === INDEFINITE_MAP) return readIndefiniteMap(reader, depth)
  const argument = readArgument(reader, first & 31)
  if (major === 0) return argument
  if (major === 1) return -1 - argument
  if (major === 2) return take(reader, argument).slice()
  if (major === 3) return readText(take(reader, argument))
  // Every item takes at least one byte, so a length beyond the input is refused before anything is allocated.
  if (argument > reader.bytes.length - reader.offset) throw new CborError('the bytes end early')
  return major === 4 ? readArray(reader, argument, depth) : readMap(reader, argument, depth)
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CborError('a text is not UTF-8')
  }
}

function readArray(reader: Reader, length: number, depth: number): readonly CborValue[] {
  return Array.from({ length }, () => readValue(reader, depth + 1))
}

function readMap(reader: Reader, length: number, depth: number): ReadonlyMap<CborKey, CborValue> {
  const map = new Map<CborKey, CborValue>()
  for (let i = 0; i < length; i++) readEntry(reader, map, depth)
  return map
}

function readIndefiniteMap(reader: Reader, depth: number): ReadonlyMap<CborKey, CborValue> {
  const map = new Map<CborKey, CborValue>()
  while (reader.bytes[reader.offset] !== BREAK) readEntry(reader, map, depth)
  reader.offset += 1
  return map
}

function readEntry(reader: Reader, map: Map<CborKey, CborValue>, depth: number): void {
  const key = readValue(reader, depth + 1)
  if (typeof key !== 'number' && typeof key !== 'string')
    throw new CborError('map keys are integers or texts')
  if (map.has(key)) throw new CborError('a map has a key twice')
  map.set(key, readValue(reader, depth + 1))
}
