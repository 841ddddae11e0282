/** Personal messages (EIP-191, version 0x45): what is signed can never be a transaction (D11). */
import { concatBytes, utf8 } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { recoverAddress, sign } from '../base/secp256k1.ts'

const V_OFFSET = 27

/** The 32-byte digest of a message behind its prefix. */
export function messageDigest(message: Uint8Array): Uint8Array {
  return keccak256(concatBytes(utf8(`\u0019Ethereum Signed Message:\n${message.length}`), message))
}

/** Signs a message: 65 bytes r || s || v with v 27 or 28. Throws on an invalid key. */
export function signMessage(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const { compact, yParity } = sign(messageDigest(message), privateKey)
  return concatBytes(compact, Uint8Array.of(V_OFFSET + yParity))
}

/** The 20-byte address that signed a message, or undefined when the signature can't be anybody's. */
export function messageSigner(message: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  if (signature.length !== 65) return undefined
  const yParity = (signature[64] as number) - V_OFFSET
  return recoverAddress(messageDigest(message), signature.subarray(0, 64), yParity)
}
