/** The cryptography that hardware evidence needs. It is passed in, so that Node and a web page run the same verifier. */

/** Curves of attestation keys, each with its hash: P-256 with SHA-256, P-384 with SHA-384. */
export type EcdsaCurve = 'P-256' | 'P-384'

/** Signature checks. All resolve to false, and never reject, on malformed keys and signatures. */
export type AttestationCrypto = {
  /** `publicKey` is an uncompressed SEC1 point; `signature` is r || s, each as wide as the curve. High s is accepted. */
  verifyEcdsa(
    curve: EcdsaCurve,
    publicKey: Uint8Array,
    signature: Uint8Array,
    message: Uint8Array,
  ): Promise<boolean>
  /** RSASSA-PSS with SHA-384, MGF1 with SHA-384 and 48 bytes of salt; the key is a DER SubjectPublicKeyInfo. */
  verifyRsaPss(spki: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean>
}
