/** The 65-byte signatures of the network: r || s || v as 0x-hex, v = 27 or 28. */
import { concatBytes, utf8 } from '../base/bytes.ts'
import { toHex, tryFromHex, type Hex } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { recoverAddress, sign } from '../base/secp256k1.ts'

/** Signs a 32-byte digest. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): Hex {
  const { compact, yParity } = sign(digest, privateKey)
  return toHex(concatBytes(compact, Uint8Array.of(27 + yParity)))
}

/** The lower-case address that signed a digest, or undefined when the signature is malformed or of nobody. */
export function recoverSigner(digest: Uint8Array, signature: string): Hex | undefined {
  const bytes = tryFromHex(signature)
  if (bytes?.length !== 65) return undefined
  const address = recoverAddress(digest, bytes.subarray(0, 64), (bytes[64] as number) - 27)
  return address && toHex(address)
}

/** The digest of a text that a person or program signs (EIP-191, version E). */
export function textDigest(text: string): Uint8Array {
  const bytes = utf8(text)
  return keccak256(concatBytes(utf8(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes))
}
