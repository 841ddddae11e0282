/** The network's signatures in their wire format: r || s || v as 0x-hex. */
import { utf8 } from '../base/bytes.ts'
import { toHex, tryFromHex, type Hex } from '../base/hex.ts'
import { messageDigest } from '../base/personalMessage.ts'
import { recoverAddressRsv, signRsv } from '../base/secp256k1.ts'

/** Signs a 32-byte digest. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): Hex {
  return toHex(signRsv(digest, privateKey))
}

/** The lower-case address that signed a digest, or undefined when the signature is malformed or no key matches it. */
export function recoverSigner(digest: Uint8Array, signature: string): Hex | undefined {
  const bytes = tryFromHex(signature)
  const address = bytes && recoverAddressRsv(digest, bytes)
  return address && toHex(address)
}

/** The digest of a text that a person or program signs (EIP-191). */
export function textDigest(text: string): Uint8Array {
  return messageDigest(utf8(text))
}
