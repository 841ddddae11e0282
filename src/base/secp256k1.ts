/** ECDSA over secp256k1 as Ethereum uses it: signatures with recovery, and addresses. All arguments are bytes. */
import { concatBytes } from './bytes.ts'
import { keccak256 } from './keccak.ts'
import { loadNativeSecp256k1 } from './secp256k1Native.ts'
import { nobleSecp256k1 } from './secp256k1Noble.ts'

const curve = loadNativeSecp256k1() ?? nobleSecp256k1

/** Order of the group. */
export const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The largest s of a non-malleable signature (EIP-2). */
export const SECP256K1_HALF_N = SECP256K1_N / 2n

/** A signature: 64 bytes r || s (low s when signed here) and the parity 0 or 1 of the nonce point. */
export type RecoverableSignature = { readonly compact: Uint8Array; readonly yParity: number }

/** Whether the bytes are a private key: 32 bytes, neither zero nor at least the group order. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  return bytes.length === 32 && curve.isPrivateKey(bytes)
}

/** Signs a 32-byte digest (RFC 6979, low s). Throws on an invalid private key. */
export function sign(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature {
  return curve.sign(digest, privateKey)
}

/** The 65-byte uncompressed public key of a private key. Throws on an invalid one. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return curve.publicKey(privateKey)
}

/** The 33-byte form of a 65-byte public key. */
export function compressPublicKey(publicKey: Uint8Array): Uint8Array {
  const isOdd = ((publicKey[64] as number) & 1) === 1
  return concatBytes(Uint8Array.of(isOdd ? 3 : 2), publicKey.subarray(1, 33))
}

/** The 65-byte public key that made a signature over a 32-byte digest, or undefined when no key could have made it. High s is accepted. */
export function recoverPublicKey(
  digest: Uint8Array,
  compact: Uint8Array,
  yParity: number,
): Uint8Array | undefined {
  return yParity === 0 || yParity === 1 ? curve.recover(digest, compact, yParity) : undefined
}

/** The 20-byte Ethereum address of a 65-byte uncompressed public key. */
export function addressOf(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey.subarray(1)).subarray(12)
}

/** The 20-byte address of a private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
  return addressOf(publicKeyOf(privateKey))
}

const V_OFFSET = 27

/** Signs a 32-byte digest: 65 bytes r || s || v, v 27 or 28. Throws on an invalid private key. */
export function signRsv(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const { compact, yParity } = sign(digest, privateKey)
  return concatBytes(compact, Uint8Array.of(V_OFFSET + yParity))
}

/** The 20-byte address that made a signature of 65 bytes r || s || v, or undefined when no key could have made it. */
export function recoverAddressRsv(
  digest: Uint8Array,
  signature: Uint8Array,
): Uint8Array | undefined {
  if (signature.length !== 65) return undefined
  return recoverAddress(digest, signature.subarray(0, 64), (signature[64] as number) - V_OFFSET)
}

/** The 20-byte address that made a signature, or undefined when no key could have made it. */
export function recoverAddress(
  digest: Uint8Array,
  compact: Uint8Array,
  yParity: number,
): Uint8Array | undefined {
  const publicKey = recoverPublicKey(digest, compact, yParity)
  return publicKey && addressOf(publicKey)
}
