/** CRC-32 as in zip and PNG (ISO 3309, reflected polynomial 0xEDB88320). */
import { crc32 as native } from 'node:zlib'

const SLICES = 8

/** Eight tables of 256 remainders: eight bytes are taken in one step. */
const TABLES = new Int32Array(SLICES * 256)
for (let byte = 0; byte < 256; byte++) {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  TABLES[byte] = rest
}
for (let i = 256; i < TABLES.length; i++) {
  const before = TABLES[i - 256] as number
  TABLES[i] = (TABLES[before & 255] as number) ^ (before >>> 8)
}

/** Number of bytes from which a native call is faster: measured, it costs what 180 bytes cost here. */
const NATIVE_FROM = 180

/**
 * The CRC-32 of `length` bytes, as an unsigned number; `before` is that of the bytes in front of them. It differs for
 * any two inputs of one length that differ within 32 bits in a row.
 */
export function crc32(bytes: Uint8Array, length = bytes.length, before = 0): number {
  if (length >= NATIVE_FROM)
    return native(length === bytes.length ? bytes : bytes.subarray(0, length), before)
  let crc = ~before
  let i = 0
  for (; i + SLICES <= length; i += SLICES) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24)
    crc =
      (TABLES[1792 + (crc & 255)] as number) ^
      (TABLES[1536 + ((crc >>> 8) & 255)] as number) ^
      (TABLES[1280 + ((crc >>> 16) & 255)] as number) ^
      (TABLES[1024 + (crc >>> 24)] as number) ^
      (TABLES[768 + (bytes[i + 4] as number)] as number) ^
      (TABLES[512 + (bytes[i + 5] as number)] as number) ^
      (TABLES[256 + (bytes[i + 6] as number)] as number) ^
      (TABLES[bytes[i + 7] as number] as number)
  }
  for (; i < length; i++) crc = (TABLES[(crc ^ (bytes[i] as number)) & 255] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}
