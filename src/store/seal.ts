/**
 * The checksum of a record (D85): a CRC-32 over the name of its table, its key and its value, in the four bytes behind
 * the value. So a record that changed, or that wandered to another key or table, is noticed when it is read.
 */
import { utf8 } from '../base/bytes.ts'
import { crc32 } from '../base/crc32.ts'
import { KvCorruptionError } from './kvError.ts'

/** Bytes of a checksum. */
export const SEAL_SIZE = 4

/** What is wrong with a record whose checksum is not its own. */
export const WRONG_CHECKSUM = 'does not match its checksum'

/** The seal of the records of one table. */
export type Seal = {
  /** Writes the checksum of a key and of the first `length` bytes of `record` behind them. */
  write(key: Uint8Array, record: Uint8Array, length: number): void
  /** Whether a record as stored, with its checksum, is what was written under this key. */
  holds(key: Uint8Array, stored: Uint8Array): boolean
}

/** The seal of a table by its name. */
export function sealOf(table: string): Seal {
  const seed = crc32(utf8(table))
  // The length of the key is part of it: a byte cannot change sides between key and value.
  const checksum = (key: Uint8Array, record: Uint8Array, length: number): number =>
    crc32(record, length, crc32(key, key.length, seed ^ key.length))
  return {
    write(key, record, length) {
      const sum = checksum(key, record, length)
      record[length] = sum >>> 24
      record[length + 1] = sum >>> 16
      record[length + 2] = sum >>> 8
      record[length + 3] = sum
    },
    holds(key, stored) {
      const length = stored.length - SEAL_SIZE
      if (length < 0) return false
      const sum = checksum(key, stored, length)
      return (
        stored[length] === sum >>> 24 &&
        stored[length + 1] === ((sum >>> 16) & 255) &&
        stored[length + 2] === ((sum >>> 8) & 255) &&
        stored[length + 3] === (sum & 255)
      )
    },
  }
}

/** The value of a record as stored. Throws KvCorruptionError if it is not what was written. */
export function unsealRecord(table: string, key: Uint8Array, stored: Uint8Array): Uint8Array {
  if (!sealOf(table).holds(key, stored)) throw new KvCorruptionError(table, key, WRONG_CHECKSUM)
  return stored.subarray(0, stored.length - SEAL_SIZE)
}
