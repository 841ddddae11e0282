/**
 * Protobuf by hand, as far as CometBFT hashes, signs and stores it (v0.38, types.proto and canonical.proto). Fields are
 * written in the order of the calls; scalars of value zero are omitted, embedded messages never are: gogoproto writes
 * non-nullable ones even when empty, and hashes depend on it.
 */
import { concatBytes, EMPTY_BYTES, utf8 } from '../../base/bytes.ts'

/** Bytes are not the protobuf record they should be. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

// Tags, and most lengths and numbers, take one byte. These arrays are never written to.
const ONE_BYTE = Array.from({ length: 0x80 }, (_, value) => Uint8Array.of(value))

/** A varint. Negative integers take their 64-bit two's complement, ten bytes. */
export function encodeVarint(value: bigint | number): Uint8Array {
  if (typeof value === 'number' && value >= 0 && value <= 0x3fff)
    return value < 0x80
      ? (ONE_BYTE[value] as Uint8Array)
      : Uint8Array.of((value & 0x7f) | 0x80, value >> 7)
  let rest = BigInt.asUintN(64, BigInt(value))
  const out: number[] = []
  while (rest > 0x7fn) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  out.push(Number(rest))
  return Uint8Array.from(out)
}

const tag = (field: number, wireType: number) => encodeVarint((field << 3) | wireType)

/** int32, int64, uint32, uint64, bool or enumeration; nothing for zero. */
export function varintField(field: number, value: bigint | number): Uint8Array {
  if (value === 0 || value === 0n) return EMPTY_BYTES
  // Gas and heights: exact as numbers, and faster.
  const small = typeof value === 'bigint' && value > 0n && value <= 0x3fffn ? Number(value) : value
  return concatBytes(tag(field, VARINT), encodeVarint(small))
}

/** Writes the result of `varintField` into an array, for safe integers and fields below 16. Returns the offset after it. */
export function writeVarintField(
  into: Uint8Array,
  at: number,
  field: number,
  value: number,
): number {
  if (value === 0) return at
  into[at] = (field << 3) | VARINT
  return writeVarint(into, at + 1, value)
}

/** Writes the result of `bytesField` into an array, for fields below 16. Returns the offset after it. */
export function writeBytesField(
  into: Uint8Array,
  at: number,
  field: number,
  value: Uint8Array,
): number {
  return value.length === 0 ? at : writeMessageField(into, at, field, value)
}

/** Maximum size of the header that `writeMessageField` writes. */
export const MAX_FIELD_HEADER = 9

/** Writes the result of `messageField` into an array, for fields below 16. Returns the offset after it. */
export function writeMessageField(
  into: Uint8Array,
  at: number,
  field: number,
  value: Uint8Array,
): number {
  into[at] = (field << 3) | BYTES
  const start = writeVarint(into, at + 1, value.length)
  into.set(value, start)
  return start + value.length
}

function writeVarint(into: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[at++] = (rest % 0x80) | 0x80
  into[at++] = rest
  return at
}

/** sfixed64; nothing for zero. */
export function sfixed64Field(field: number, value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES
  const body = new Uint8Array(8)
  new DataView(body.buffer).setBigInt64(0, value, true)
  return concatBytes(tag(field, FIXED64), body)
}

/** bytes; nothing when empty. */
export function bytesField(field: number, value: Uint8Array): Uint8Array {
  return value.length === 0 ? EMPTY_BYTES : messageField(field, value)
}

/** string; nothing when empty. */
export function stringField(field: number, value: string): Uint8Array {
  return bytesField(field, utf8(value))
}

/** An embedded message, or one element of a repeated field: always written. */
export function messageField(field: number, body: Uint8Array): Uint8Array {
  return concatBytes(tag(field, BYTES), encodeVarint(body.length), body)
}

/** A length-prefixed message, as CometBFT signs it. */
export function lengthDelimited(body: Uint8Array): Uint8Array {
  return concatBytes(encodeVarint(body.length), body)
}

type Value = bigint | Uint8Array

/** A parsed message. An absent field reads as zero or empty; of a repeated scalar the last one wins. */
export type Message = {
  /** The numbers of the fields that are present. */
  fields(): readonly number[]
  uint(field: number): bigint
  /** Two's complement of 64 bits. */
  int(field: number): bigint
  /** Like `int`; throws ProtobufError beyond what a number holds exactly. */
  number(field: number): number
  bytes(field: number): Uint8Array
  text(field: number): string
  message(field: number): Message
  all(field: number): readonly Uint8Array[]
}

function readVarint(bytes: Uint8Array, start: number): { value: bigint; next: number } {
  let value = 0n
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i]
    if (byte === undefined) throw new ProtobufError('record ends inside a varint')
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (i === 9 && byte > 1) throw new ProtobufError('varint does not fit into 64 bits')
    if (byte < 0x80) return { value, next: start + i + 1 }
  }
  throw new ProtobufError('varint is longer than ten bytes')
}

function take(bytes: Uint8Array, start: number, length: number): Uint8Array {
  if (length > bytes.length - start) throw new ProtobufError('record ends inside a field')
  return bytes.subarray(start, start + length)
}

function readFields(bytes: Uint8Array): Map<number, Value[]> {
  const fields = new Map<number, Value[]>()
  let at = 0
  while (at < bytes.length) {
    const key = readVarint(bytes, at)
    const field = Number(key.value >> 3n)
    const wireType = Number(key.value & 7n)
    let value: Value
    at = key.next
    if (wireType === VARINT) {
      const varint = readVarint(bytes, at)
      value = varint.value
      at = varint.next
    } else if (wireType === BYTES) {
      const length = readVarint(bytes, at)
      value = take(bytes, length.next, Number(length.value))
      at = length.next + value.length
    } else if (wireType === FIXED64 || wireType === FIXED32) {
      value = take(bytes, at, wireType === FIXED64 ? 8 : 4)
      at += value.length
    } else {
      throw new ProtobufError(`wire type ${wireType} of field ${field} is not in use`)
    }
    const values = fields.get(field)
    if (values === undefined) fields.set(field, [value])
    else values.push(value)
  }
  return fields
}

/** Parses a message; embedded ones are parsed on demand. Throws ProtobufError. */
export function parseMessage(bytes: Uint8Array): Message {
  const fields = readFields(bytes)
  const lastBytes = (field: number) => {
    const value = fields.get(field)?.at(-1) ?? EMPTY_BYTES
    if (typeof value === 'bigint') throw new ProtobufError(`field ${field} is not a byte string`)
    return value
  }
  const uint = (field: number) => {
    const value = fields.get(field)?.at(-1) ?? 0n
    if (typeof value !== 'bigint') throw new ProtobufError(`field ${field} is not a varint`)
    return value
  }
  const int = (field: number) => BigInt.asIntN(64, uint(field))
  return {
    fields: () => [...fields.keys()],
    uint,
    int,
    number(field) {
      const value = Number(int(field))
      if (!Number.isSafeInteger(value)) throw new ProtobufError(`field ${field} is out of range`)
      return value
    },
    bytes: lastBytes,
    text: (field) => new TextDecoder().decode(lastBytes(field)),
    message: (field) => parseMessage(lastBytes(field)),
    all: (field) =>
      (fields.get(field) ?? []).map((value) => {
        if (typeof value === 'bigint')
          throw new ProtobufError(`field ${field} is not a byte string`)
        return value
      }),
  }
}
