/** Node's cryptography, for verifying receipt bundles. */
import { verifyEd25519Zip215 } from '../base/ed25519Zip215.ts'
import { sha256 } from '../base/sha256.ts'
import { webCrypto } from '../proof/attestation/webCrypto.ts'
import type { BundleContext } from '../proof/bundle/trust.ts'

export const nodeContext: BundleContext = {
  sha256,
  verifyEd25519: verifyEd25519Zip215,
  attestation: webCrypto(globalThis.crypto.subtle),
}
