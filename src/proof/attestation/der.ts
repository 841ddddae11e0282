/**
 * A strict reader of DER (X.690) for certificates and revocation lists: one-byte tags, definite lengths in their
 * shortest form, no trailing bytes. It descends only on request, so hostile nesting costs nothing.
 */
import { toHexDigits } from '../../base/hex.ts'
import { concatBytes, padLeft, trimLeft } from '../../base/bytes.ts'
import { parseTime } from '../comet/time.ts'

/** The bytes are not the expected DER. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

/** One element. `bytes` is all of it, `contents` what follows tag and length; both are views. */
export type DerValue = {
  readonly tag: number
  readonly contents: Uint8Array
  readonly bytes: Uint8Array
}

/** Tags that certificates use. `context(n)` is the constructed [n]. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  context: (number: number): number => 0xa0 + number,
} as const

const LONG_TAG = 0x1f
const LONG_LENGTH = 0x80
// Three bytes of length: no certificate or revocation list has 16 MiB.
const MAX_LENGTH_BYTES = 3

function readElement(bytes: Uint8Array, start: number): DerValue {
  const tag = bytes[start]
  const first = bytes[start + 1]
  if (tag === undefined || first === undefined) throw new DerError('DER ends early')
  if ((tag & LONG_TAG) === LONG_TAG) throw new DerError('a DER tag has more than one byte')
  let offset = start + 2
  let length = first
  if (first >= LONG_LENGTH) {
    const size = first - LONG_LENGTH
    if (size === 0 || size > MAX_LENGTH_BYTES) throw new DerError('a DER length is not accepted')
    length = 0
    for (const byte of bytes.subarray(offset, offset + size)) length = length * 256 + byte
    offset += size
    if (length < LONG_LENGTH || length < 256 ** (size - 1))
      throw new DerError('a DER length is not in its shortest form')
  }
  const end = offset + length
  if (end > bytes.length) throw new DerError('DER ends early')
  return { tag, contents: bytes.subarray(offset, end), bytes: bytes.subarray(start, end) }
}

/** The one element that the bytes hold, of this tag. Throws DerError. */
export function readDer(bytes: Uint8Array, tag: number): DerValue {
  const value = readElement(bytes, 0)
  if (value.bytes.length !== bytes.length) throw new DerError('bytes are left over after DER')
  return expectTag(value, tag)
}

/** The element itself when it has this tag. Throws DerError when it has another, or is missing. */
export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value === undefined) throw new DerError('a DER element is missing')
  if (value.tag !== tag) throw new DerError(`a DER element has tag ${value.tag} instead of ${tag}`)
  return value
}

/** The elements that a constructed one holds. Throws DerError. */
export function readChildren({ contents }: DerValue): readonly DerValue[] {
  const children: DerValue[] = []
  let offset = 0
  while (offset < contents.length) {
    const child = readElement(contents, offset)
    children.push(child)
    offset += child.bytes.length
  }
  return children
}

/** The elements of a SEQUENCE. Throws DerError if it is not one. */
export function readSequence(value: DerValue | undefined): readonly DerValue[] {
  return readChildren(expectTag(value, TAG.sequence))
}

/** Bytes of a BIT STRING of whole bytes. Throws DerError. */
export function readBits(value: DerValue | undefined): Uint8Array {
  const { contents } = expectTag(value, TAG.bitString)
  if (contents[0] !== 0) throw new DerError('a DER bit string is not made of whole bytes')
  return contents.subarray(1)
}

/** Contents of an INTEGER in their shortest form: big-endian two's complement. Throws DerError. */
export function readInteger(value: DerValue | undefined): Uint8Array {
  const { contents } = expectTag(value, TAG.integer)
  const [first, second = 0] = contents
  if (first === undefined) throw new DerError('a DER integer is empty')
  const padded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)
  if (contents.length > 1 && padded) throw new DerError('a DER integer is padded')
  return contents
}

/** A small non-negative INTEGER. Throws DerError from 2^31 on. */
export function readSmallInteger(value: DerValue | undefined): number {
  const contents = readInteger(value)
  if (contents.length > 4 || (contents[0] ?? 0) >= 0x80)
    throw new DerError('a DER integer is negative or too large')
  return contents.reduce((sum, byte) => sum * 256 + byte, 0)
}

/** A BOOLEAN. Throws DerError. */
export function readBoolean(value: DerValue | undefined): boolean {
  const text = toHexDigits(expectTag(value, TAG.boolean).contents)
  if (text !== 'ff' && text !== '00') throw new DerError('a DER boolean is neither true nor false')
  return text === 'ff'
}

/** An OBJECT IDENTIFIER in dotted form. Throws DerError. */
export function readOid(value: DerValue | undefined): string {
  const { contents } = expectTag(value, TAG.oid)
  if (contents.length === 0 || contents.length > 32 || (contents.at(-1) ?? 0) >= 0x80)
    throw new DerError('a DER object identifier is malformed')
  const arcs: number[] = []
  let arc = 0
  for (const byte of contents) {
    if (arc === 0 && byte === 0x80) throw new DerError('a DER object identifier is padded')
    arc = arc * 128 + (byte & 0x7f)
    if (arc > 0xffff_ffff) throw new DerError('a DER object identifier is too large')
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const [first = 0, ...rest] = arcs
  const top = Math.min(Math.floor(first / 40), 2)
  return [top, first - top * 40, ...rest].join('.')
}

const TIME = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/

/** Milliseconds since 1970 of a UTCTime or GeneralizedTime as RFC 5280 (4.1.2.5) writes them. Throws DerError. */
export function readTime(value: DerValue | undefined): number {
  const digits = String.fromCharCode(...(value?.contents.subarray(0, 16) ?? []))
  // Two-digit years: from 50 on they mean 19xx.
  const century = Number(digits.slice(0, 2)) >= 50 ? '19' : '20'
  if (value?.tag !== TAG.utcTime && value?.tag !== TAG.generalizedTime)
    throw new DerError('a DER time is missing')
  const text = TIME.exec(value.tag === TAG.utcTime ? century + digits : digits)
    ?.slice(1)
    .reduce((time, part, i) => time + (['', '-', '-', 'T', ':', ':'][i] ?? '') + part, '')
  const timeNs = text === undefined ? undefined : parseTime(`${text}Z`)
  if (timeNs === undefined) throw new DerError('a DER time is malformed')
  return Number(timeNs / 1_000_000n)
}

/** r || s, `size` bytes each, of an ECDSA signature (RFC 3279, 2.2.3). Throws DerError. */
export function readEcdsaSignature(bytes: Uint8Array, size: number): Uint8Array {
  const numbers = readSequence(readDer(bytes, TAG.sequence)).map((number) => {
    const contents = readInteger(number)
    const digits = trimLeft(contents)
    if ((contents[0] ?? 0) >= 0x80 || digits.length > size)
      throw new DerError('a signature is out of range')
    return padLeft(digits, size)
  })
  if (numbers.length !== 2) throw new DerError('a signature is not two numbers')
  return concatBytes(...numbers)
}
