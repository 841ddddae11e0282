/** Personal messages (EIP-191, version 0x45): a signed message can never be a valid transaction (D11). */
import { concatBytes, utf8 } from './bytes.ts'
import { keccak256 } from './keccak.ts'
import { recoverAddressRsv, signRsv } from './secp256k1.ts'

/** The 32-byte digest of a message with its prefix. */
export function messageDigest(message: Uint8Array): Uint8Array {
  return keccak256(concatBytes(utf8(`\u0019Ethereum Signed Message:\n${message.length}`), message))
}

/** Signs a message: 65 bytes r || s || v with v 27 or 28. Throws on an invalid key. */
export function signMessage(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return signRsv(messageDigest(message), privateKey)
}

/** The 20-byte address that signed a message, or undefined when no key could have made the signature. */
export function messageSigner(message: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  return recoverAddressRsv(messageDigest(message), signature)
}
