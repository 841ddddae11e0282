/** Recovers the signers of signatures and draws, in plain JavaScript: it runs wherever a verifier does. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { toHex, tryFromHex, type Hex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { nobleSecp256k1 } from '../../base/secp256k1Noble.ts'

const V_OFFSET = 27
const SIGNATURE_LENGTH = 65
const COMPRESSED_LENGTH = 33

/** The lower-case address of a 65-byte public key. */
function addressOf(publicKey: Uint8Array): Hex {
  return toHex(keccak256(publicKey.subarray(1)).subarray(12))
}

/** The lower-case address that signed a 32-byte digest, or undefined if no key made the signature (0x, r || s || v). */
export function signerOf(digest: Uint8Array, signature: string): Hex | undefined {
  const bytes = tryFromHex(signature)
  if (bytes?.length !== SIGNATURE_LENGTH) return undefined
  const parity = (bytes[64] as number) - V_OFFSET
  if (parity !== 0 && parity !== 1) return undefined
  const publicKey = nobleSecp256k1.recover(digest, bytes.subarray(0, 64), parity)
  return publicKey && addressOf(publicKey)
}

/** The lower-case address of a 33-byte public key, or undefined if it is not one. */
export function addressOfCompressedKey(publicKey: Uint8Array): Hex | undefined {
  if (publicKey.length !== COMPRESSED_LENGTH) return undefined
  try {
    return addressOf(secp256k1.Point.fromBytes(publicKey).toBytes(false))
  } catch {
    return undefined
  }
}
