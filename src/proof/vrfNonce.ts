/**
 * The secret nonce of a VRF proof. The VRF key also signs transactions and statements, so its nonces must never
 * coincide with theirs.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToFixedBytes, bytesToBigint, concatBytes, utf8 } from '../base/bytes.ts'

const ORDER = secp256k1.Point.Fn.ORDER
const LABEL = utf8('Assay/vrf-nonce/v1')

/**
 * RFC 6979 (3.2) over SHA-256 with the additional data of 3.6: the label above. It makes these nonces independent of the
 * ones that ECDSA derives from the same key, even for equal inputs.
 */
export function vrfNonce(privateKey: Uint8Array, message: Uint8Array): bigint {
  const digest = bigintToFixedBytes(bytesToBigint(sha256(message)) % ORDER, 32)
  const seed = concatBytes(privateKey, digest, LABEL)
  let key: Uint8Array = new Uint8Array(32)
  let value: Uint8Array = new Uint8Array(32).fill(1)
  const mix = (tag: number, data: Uint8Array): void => {
    key = hmac(sha256, key, concatBytes(value, Uint8Array.of(tag), data))
    value = hmac(sha256, key, value)
  }
  mix(0, seed)
  mix(1, seed)
  for (;;) {
    value = hmac(sha256, key, value)
    const nonce = bytesToBigint(value)
    if (nonce > 0n && nonce < ORDER) return nonce
    mix(0, new Uint8Array(0))
  }
}
