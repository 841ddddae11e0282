/** Storage positions as callers write them (D9): JSON integer, QUANTITY, or DATA of up to 32 bytes. */
import { z } from 'zod'
import { scalarText } from '../../base/boundedSchema.ts'
import { bigintToFixedBytes, padLeft } from '../../base/bytes.ts'
import { tryFromHexDigits } from '../../base/hex.ts'
import { RpcError } from '../../wire/errors.ts'

/** A position before decoding: go-ethereum reports invalid ones without the argument's number. */
export const storageKey = z
  .union([scalarText(), z.int().nonnegative()])
  .meta({ description: 'storage position: JSON integer, QUANTITY, or DATA of up to 32 bytes' })

/** The 32-byte slot of a position. Throws RpcError -32602. */
export function decodeStorageKey(key: string | number): Uint8Array {
  if (typeof key === 'number') return bigintToFixedBytes(BigInt(key), 32)
  const digits = /^0x/i.test(key) ? key.slice(2) : key
  if (digits.length > 64)
    throw new RpcError(
      'invalidParams',
      `storage key too long (want at most 32 bytes): ${JSON.stringify(key.slice(0, 200))}`,
    )
  const bytes = tryFromHexDigits(digits.length % 2 === 1 ? `0${digits}` : digits)
  if (!bytes)
    throw new RpcError('invalidParams', `invalid hex in storage key: ${JSON.stringify(key)}`)
  return padLeft(bytes, 32)
}
