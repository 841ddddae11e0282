/** The cryptography that CometBFT's records need, passed in so that these files run anywhere. */

export type Sha256 = (bytes: Uint8Array) => Uint8Array

export type CometCrypto = {
  readonly sha256: Sha256
  /** Whether a 64-byte signature is the 32-byte key's over the message; false for malformed input. */
  verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
}
