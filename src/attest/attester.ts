/** Whoever vouches for an answer: a key in a file (software.ts), or hardware behind the same shape. */
import type { Evidence, EvidenceExpectation, EvidenceLevel } from '../proof/attestation.ts'

export type Attester = {
  readonly level: EvidenceLevel
  /** Name of the documents' format. */
  readonly format: string
  /** Evidence that binds a statement and the dispatcher's nonce (32 bytes each). Rejects when the machine gives none. */
  attest(subject: EvidenceExpectation): Promise<Evidence>
}
