/** Reads ABI-encoded data. The data is untrusted: it may be truncated, point anywhere, or claim to be endless. */
import { bytesToHex } from '../format/hex.ts'
import { AbiError, headSize, isDynamic, type AbiType, type AbiValue } from './types.ts'

/** Maximum number of values in one decoding; otherwise, pointers back into the data could make it arbitrarily large. */
const MAX_VALUES = 20_000
const UTF8 = new TextDecoder('utf-8')

type Reader = { readonly data: Uint8Array; left: number }

function slice(reader: Reader, at: number, length: number): Uint8Array {
  if (at < 0 || at + length > reader.data.length) throw new AbiError('the data is cut short')
  return reader.data.subarray(at, at + length)
}

function word(reader: Reader, at: number): bigint {
  let value = 0n
  for (const byte of slice(reader, at, 32)) value = (value << 8n) | BigInt(byte)
  return value
}

/** A length or offset. */
function size(reader: Reader, at: number): number {
  const value = word(reader, at)
  if (value > BigInt(reader.data.length)) throw new AbiError('an offset points outside the data')
  return Number(value)
}

function elementary(reader: Reader, type: AbiType, at: number): AbiValue {
  switch (type.kind) {
    case 'uint': {
      const value = word(reader, at)
      if (value >> BigInt(type.bits) !== 0n) throw new AbiError('a number is too large')
      return value
    }
    case 'int': {
      const value = BigInt.asIntN(256, word(reader, at))
      if (value !== BigInt.asIntN(type.bits, value)) throw new AbiError('a number is too large')
      return value
    }
    case 'bool': {
      const value = word(reader, at)
      if (value > 1n) throw new AbiError('a bool is neither 0 nor 1')
      return value === 1n
    }
    case 'address':
      if (word(reader, at) >> 160n !== 0n) throw new AbiError('an address is too long')
      return bytesToHex(slice(reader, at + 12, 20))
    default:
      return bytesOrText(reader, type, at)
  }
}

function bytesOrText(reader: Reader, type: AbiType, at: number): string {
  if (type.kind === 'bytes' && type.size !== undefined) {
    if (slice(reader, at + type.size, 32 - type.size).some((byte) => byte !== 0))
      throw new AbiError('bytes are not padded with zeros')
    return bytesToHex(slice(reader, at, type.size))
  }
  const content = slice(reader, at + 32, size(reader, at))
  return type.kind === 'string' ? UTF8.decode(content) : bytesToHex(content)
}

function list(reader: Reader, types: readonly AbiType[], at: number): AbiValue[] {
  let head = at
  return types.map((type) => {
    const here = head
    head += headSize(type)
    return value(reader, type, isDynamic(type) ? at + size(reader, here) : here)
  })
}

function value(reader: Reader, type: AbiType, at: number): AbiValue {
  reader.left--
  if (reader.left < 0) throw new AbiError('the data holds too many values')
  if (type.kind === 'tuple')
    return list(
      reader,
      type.fields.map((field) => field.type),
      at,
    )
  if (type.kind !== 'array') return elementary(reader, type, at)
  const start = type.length === undefined ? at + 32 : at
  const count = type.length ?? size(reader, at)
  if (count > reader.left) throw new AbiError('the data holds too many values')
  return list(
    reader,
    Array.from({ length: count }, () => type.item),
    start,
  )
}

/** The values of a list of types at the start of the data. Throws AbiError. */
export function decodeValues(types: readonly AbiType[], data: Uint8Array): readonly AbiValue[] {
  return list({ data, left: MAX_VALUES }, types, 0)
}
