/** The central directory of a zip file (PKWARE APPNOTE 6.3.9, sections 4.3.12 to 4.3.16 and 4.5.3), also of zip64. */
import type { ZipFile } from './readAt.ts'
import { ZipError } from './zipError.ts'

const END = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT = 0xffff
const LOCATOR64 = 0x07064b50
const LOCATOR64_BYTES = 20
const END64 = 0x06064b50
const END64_BYTES = 56
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
const ZIP64_EXTRA = 1
const FULL32 = 0xffffffff
const FULL16 = 0xffff
/** A wheel has some thousand members at most. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024

/** A member as the central directory describes it. Sizes in bytes. */
export type ZipEntry = {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
  /** Offset of its local header. */
  readonly offset: number
}

export type Directory = {
  readonly entries: readonly ZipEntry[]
  /** Where it begins: members end before. */
  readonly start: number
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ZipError('a size is too large')
  return Number(value)
}

type Place = { readonly start: number; readonly bytes: number; readonly count: number }

async function findEnd(file: ZipFile): Promise<{ readonly at: number; readonly record: Buffer }> {
  const length = Math.min(file.size, END_BYTES + MAX_COMMENT)
  const from = file.size - length
  const tail = await file.readAt(from, length)
  for (let i = length - END_BYTES; i >= 0; i--)
    if (tail.readUInt32LE(i) === END && i + END_BYTES + tail.readUInt16LE(i + 20) === length)
      return { at: from + i, record: tail.subarray(i, i + END_BYTES) }
  throw new ZipError('it is not a zip file')
}

async function place64(file: ZipFile, endAt: number): Promise<Place | undefined> {
  if (endAt < LOCATOR64_BYTES) return undefined
  const locator = await file.readAt(endAt - LOCATOR64_BYTES, LOCATOR64_BYTES)
  if (locator.readUInt32LE(0) !== LOCATOR64) return undefined
  const end = await file.readAt(safe(locator.readBigUInt64LE(8)), END64_BYTES)
  if (end.readUInt32LE(0) !== END64) throw new ZipError('its zip64 record is missing')
  const [count, bytes, start] = [32, 40, 48].map((at) => safe(end.readBigUInt64LE(at)))
  return { count: count ?? 0, bytes: bytes ?? 0, start: start ?? 0 }
}

async function findDirectory(file: ZipFile): Promise<Place> {
  const { at, record } = await findEnd(file)
  const place = (await place64(file, at)) ?? {
    count: record.readUInt16LE(10),
    bytes: record.readUInt32LE(12),
    start: record.readUInt32LE(16),
  }
  if (place.bytes > MAX_DIRECTORY_BYTES) throw new ZipError('its directory is too large')
  if (place.start + place.bytes > at) throw new ZipError('its directory is not inside the file')
  return place
}

/** Sizes and offset that do not fit into 32 bits are in an extra field, in this order, each only if it is needed. */
function widen(entry: ZipEntry, extra: Buffer): ZipEntry {
  const wide = [entry.size, entry.compressed, entry.offset]
  if (!wide.includes(FULL32)) return entry
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2)
    const field = extra.subarray(at + 4, at + 4 + length)
    if (extra.readUInt16LE(at) === ZIP64_EXTRA) {
      let next = 0
      const [size = 0, compressed = 0, offset = 0] = wide.map((value) => {
        if (value !== FULL32) return value
        if (next + 8 > field.length) throw new ZipError('a zip64 field is too short')
        next += 8
        return safe(field.readBigUInt64LE(next - 8))
      })
      return { ...entry, size, compressed, offset }
    }
    at += 4 + length
  }
  return entry
}

/** Reads the directory. Rejects with ZipError. */
export async function readDirectory(file: ZipFile): Promise<Directory> {
  const { start, bytes, count } = await findDirectory(file)
  const all = await file.readAt(start, bytes)
  const entries: ZipEntry[] = []
  for (let at = 0; at < all.length && entries.length < count;) {
    if (at + ENTRY_BYTES > all.length || all.readUInt32LE(at) !== ENTRY)
      throw new ZipError('its directory is damaged')
    const nameEnd = at + ENTRY_BYTES + all.readUInt16LE(at + 28)
    const extraEnd = nameEnd + all.readUInt16LE(at + 30)
    const end = extraEnd + all.readUInt16LE(at + 32)
    if (end > all.length) throw new ZipError('its directory is damaged')
    if (all.readUInt16LE(at + 34) !== 0 && all.readUInt16LE(at + 34) !== FULL16)
      throw new ZipError('it has more than one part')
    const entry: ZipEntry = {
      name: all.toString('utf8', at + ENTRY_BYTES, nameEnd),
      flags: all.readUInt16LE(at + 8),
      method: all.readUInt16LE(at + 10),
      crc: all.readUInt32LE(at + 16),
      compressed: all.readUInt32LE(at + 20),
      size: all.readUInt32LE(at + 24),
      offset: all.readUInt32LE(at + 42),
    }
    entries.push(widen(entry, all.subarray(nameEnd, extraEnd)))
    at = end
  }
  if (entries.length !== count) throw new ZipError('its directory is damaged')
  return { entries, start }
}
