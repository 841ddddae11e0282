/** The party that attests an answer: a key in a file (software.ts), or hardware behind the same interface. */
import type { Evidence, EvidenceExpectation, EvidenceLevel } from '../proof/attestation.ts'

export type Attester = {
  readonly level: EvidenceLevel
  /** Name of the documents' format. */
  readonly format: string
  /** Evidence that binds a statement and the dispatcher's nonce (32 bytes each). Rejects when the machine provides none. */
  attest(subject: EvidenceExpectation): Promise<Evidence>
}
