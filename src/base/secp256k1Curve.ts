/**
 * Interface of a secp256k1 library; two implement it (secp256k1Native.ts, secp256k1Noble.ts) and a test keeps them in
 * agreement.
 */

export type Secp256k1 = {
  /** The 65-byte uncompressed public key. `secret` is a valid private key. */
  publicKey(secret: Uint8Array): Uint8Array
  /** Whether 32 bytes are a private key: neither zero nor at least the group order. */
  isPrivateKey(secret: Uint8Array): boolean
  /** Deterministic ECDSA (RFC 6979) with low s: 64 bytes r || s, and the parity of the nonce point. */
  sign(
    digest: Uint8Array,
    secret: Uint8Array,
  ): { readonly compact: Uint8Array; readonly yParity: number }
  /** The 65-byte uncompressed public key that made the signature, or undefined when there is none. High s is accepted. */
  recover(digest: Uint8Array, compact: Uint8Array, yParity: number): Uint8Array | undefined
}
