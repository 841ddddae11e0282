/**
 * The bytes of the pool's journal (D93): a header, then records, then zeros. A record is
 * `marker[8] length[4] number[6] kind[1] reserved[1] crc32[4] payload[length]`, integers in little-endian order; the
 * checksum covers everything between marker and payload, and the payload.
 *
 * The marker is random for each file and kept from strangers, so that no transaction can contain a record: after damage
 * the reader looks for the next marker. Numbers only grow, so that what is left of a write that failed is not read.
 */
import { crc32 } from 'node:zlib'

const TEXT = Buffer.from('assay pool 1\n')
const COPY_SIZE = 32
const MARKER_SIZE = 8
const MARKER_AT = 16
const HEADER_CHECK_AT = MARKER_AT + MARKER_SIZE

/** Size of the header: two equal copies, of which one may be damaged. */
export const HEADER_SIZE = 2 * COPY_SIZE

const LENGTH_AT = 8
const NUMBER_AT = 12
const KIND_AT = 18
const CHECK_AT = 20

/** Size of a record without its payload. */
export const RECORD_SIZE = 24

const NUMBER_SIZE = 6

/** Maximum size of a payload. The pool takes no transaction larger than 128 KiB. */
const MAX_PAYLOAD = 1024 * 1024

/** Maximum number of removals in one record. */
export const REMOVALS_PER_RECORD = 10_000

const KINDS = ['add', 'remove', 'clear'] as const
type Kind = (typeof KINDS)[number]

/** A header with a marker of 8 bytes. */
export function encodeHeader(marker: Uint8Array): Buffer {
  const copy = Buffer.alloc(COPY_SIZE)
  TEXT.copy(copy)
  copy.set(marker, MARKER_AT)
  copy.writeUInt32LE(crc32(copy.subarray(0, HEADER_CHECK_AT)), HEADER_CHECK_AT)
  return Buffer.concat([copy, copy])
}

function markerOf(header: Buffer): Buffer | undefined {
  for (const at of [0, COPY_SIZE]) {
    const copy = header.subarray(at, at + COPY_SIZE)
    if (copy.length < COPY_SIZE || !copy.subarray(0, TEXT.length).equals(TEXT)) continue
    if (copy.readUInt32LE(HEADER_CHECK_AT) === crc32(copy.subarray(0, HEADER_CHECK_AT)))
      return copy.subarray(MARKER_AT, MARKER_AT + MARKER_SIZE)
  }
  return undefined
}

function checkOf(record: Buffer): number {
  const head = crc32(record.subarray(LENGTH_AT, CHECK_AT))
  return crc32(record.subarray(RECORD_SIZE), head)
}

/** Writes a record at the start of `target`, whose length is that of the record. */
function writeRecord(
  target: Buffer,
  marker: Uint8Array,
  number: number,
  kind: Kind,
  payload: Uint8Array,
): void {
  target.set(marker)
  target.writeUInt32LE(payload.length, LENGTH_AT)
  target.writeUIntLE(number, NUMBER_AT, NUMBER_SIZE)
  target.writeUInt8(KINDS.indexOf(kind), KIND_AT)
  target.writeUInt8(0, KIND_AT + 1)
  target.set(payload, RECORD_SIZE)
  target.writeUInt32LE(checkOf(target), CHECK_AT)
}

/** A transaction with the number of its record. */
export type NumberedTransaction = { readonly number: number; readonly raw: Uint8Array }

/** The records of transactions, one after the other. */
export function encodeAdditions(
  marker: Uint8Array,
  transactions: readonly NumberedTransaction[],
): Buffer {
  const size = transactions.reduce((sum, { raw }) => sum + RECORD_SIZE + raw.length, 0)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const { number, raw } of transactions) {
    const end = at + RECORD_SIZE + raw.length
    writeRecord(bytes.subarray(at, end), marker, number, 'add', raw)
    at = end
  }
  return bytes
}

/** A record that removes the transactions with these numbers, at most REMOVALS_PER_RECORD of them. */
export function encodeRemovals(
  marker: Uint8Array,
  number: number,
  removed: readonly number[],
): Buffer {
  const payload = Buffer.allocUnsafe(removed.length * NUMBER_SIZE)
  for (const [index, each] of removed.entries())
    payload.writeUIntLE(each, index * NUMBER_SIZE, NUMBER_SIZE)
  const bytes = Buffer.allocUnsafe(RECORD_SIZE + payload.length)
  writeRecord(bytes, marker, number, 'remove', payload)
  return bytes
}

/** A record that removes every transaction before it. */
export function encodeClear(marker: Uint8Array, number: number): Buffer {
  const bytes = Buffer.allocUnsafe(RECORD_SIZE)
  writeRecord(bytes, marker, number, 'clear', new Uint8Array(0))
  return bytes
}

/** The record that starts at an offset; undefined when there is none that is whole and numbered after `last`. */
function recordAt(bytes: Buffer, at: number, last: number) {
  if (at + RECORD_SIZE > bytes.length) return undefined
  const length = bytes.readUInt32LE(at + LENGTH_AT)
  const end = at + RECORD_SIZE + length
  if (length > MAX_PAYLOAD || end > bytes.length) return undefined
  const number = bytes.readUIntLE(at + NUMBER_AT, NUMBER_SIZE)
  if (number <= last) return undefined
  const record = bytes.subarray(at, end)
  if (record.readUInt32LE(CHECK_AT) !== checkOf(record)) return undefined
  const kind = KINDS[record.readUInt8(KIND_AT)]
  return { number, kind, payload: record.subarray(RECORD_SIZE), end }
}

/** What a journal holds. */
export type JournalContent = {
  /** Transactions that were added and not removed, in the order in which they were added. */
  readonly transactions: readonly Uint8Array[]
  /** Number of stretches that are no records: damage, or an end that was not written completely. */
  readonly damaged: number
}

/** Reads a journal. Whatever the bytes are, each record that is whole counts. */
export function decodeJournal(bytes: Buffer): JournalContent {
  const marker = markerOf(bytes.subarray(0, HEADER_SIZE))
  if (marker === undefined) return { transactions: [], damaged: bytes.length === 0 ? 0 : 1 }
  const live = new Map<number, Uint8Array>()
  let damaged = 0
  let last = 0
  let end = HEADER_SIZE
  for (let at = bytes.indexOf(marker, end); at >= 0; at = bytes.indexOf(marker, at)) {
    const record = recordAt(bytes, at, last)
    if (record === undefined) {
      at++
      continue
    }
    if (at > end) damaged++
    const { number, kind, payload } = record
    if (kind === 'add') live.set(number, payload)
    else if (kind === 'clear') live.clear()
    else if (kind === 'remove')
      for (let i = 0; i + NUMBER_SIZE <= payload.length; i += NUMBER_SIZE)
        live.delete(payload.readUIntLE(i, NUMBER_SIZE))
    last = number
    end = at = record.end
  }
  if (bytes.subarray(end).some((byte) => byte !== 0)) damaged++
  // Copies: a view would keep the bytes of the whole file.
  return { transactions: [...live.values()].map((raw) => new Uint8Array(raw)), damaged }
}
