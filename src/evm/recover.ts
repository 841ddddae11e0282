/** Recovers addresses from signatures: senders of transactions and authorities of EIP-7702. */
import { bigintToFixedBytes, concatBytes } from '../base/bytes.ts'
import { SECP256K1_HALF_N, SECP256K1_N, recoverAddress } from '../base/secp256k1.ts'

/** Whether the numbers can be a signature: r and s in range, no high s (EIP-2), a parity of 0 or 1. */
export function isSignature(yParity: bigint, r: bigint, s: bigint): boolean {
  return (
    r > 0n &&
    r < SECP256K1_N &&
    s > 0n &&
    s <= SECP256K1_HALF_N &&
    (yParity === 0n || yParity === 1n)
  )
}

/**
 * The 20-byte address that made a signature over a 32-byte digest; undefined if it is invalid: r or s out of range, a
 * high s (EIP-2), a parity other than 0 or 1, or no point on the curve.
 */
export function recoverSender(
  digest: Uint8Array,
  yParity: bigint,
  r: bigint,
  s: bigint,
): Uint8Array | undefined {
  if (!isSignature(yParity, r, s)) return undefined
  const compact = concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32))
  return recoverAddress(digest, compact, Number(yParity))
}
