/** External inputs of every verifier of hardware evidence. */
import type { AttestationCrypto } from './crypto.ts'

export type AttestationContext = {
  readonly crypto: AttestationCrypto
  /** The verifier's clock, or when the evidence was received, in milliseconds since 1970. */
  readonly nowMs: number
}
