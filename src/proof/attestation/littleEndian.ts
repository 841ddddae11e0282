/** Fields of the binary structures that Intel and AMD define: fixed offsets, little-endian. */
import { bytesToBigint } from '../../base/bytes.ts'

/** The unsigned integer of `size` bytes (at most 4) at an offset; bytes beyond the end count as zero. */
export function readUint(bytes: Uint8Array, offset: number, size: number): number {
  let value = 0
  for (let i = size - 1; i >= 0; i--) value = value * 256 + (bytes[offset + i] ?? 0)
  return value
}

/** The unsigned 64-bit integer at an offset. */
export function readUint64(bytes: Uint8Array, offset: number): bigint {
  return bytesToBigint(bytes.subarray(offset, offset + 8).toReversed())
}

/** Whether all bytes are zero. */
export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
