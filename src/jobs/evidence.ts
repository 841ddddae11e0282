/** The link between a statement and the evidence about it: both sides must hash the same bytes. */
import { fromHex } from '../base/hex.ts'
import { sha256 } from '../base/sha256.ts'
import { webCrypto } from '../proof/attestation/webCrypto.ts'
import {
  verifyEvidence,
  type Evidence,
  type EvidenceExpectation,
  type EvidenceTrust,
  type EvidenceVerdict,
} from '../proof/attestation.ts'
import { statementBytes, type Statement } from '../proof/job/statement.ts'
import type { RecordDomain } from '../proof/job/typedStruct.ts'

/** What evidence must bind: SHA-256 of the statement's bytes, and the dispatcher's seed. Throws SyntaxError on a malformed statement. */
export function evidenceSubject(statement: Statement, domain: RecordDomain): EvidenceExpectation {
  const statementHash = sha256(statementBytes(statement, domain))
  return { statementHash, nonce: fromHex(statement.seed) }
}

/**
 * Verifies the evidence about a statement, by this machine's clock. Rejects with SyntaxError on a malformed statement.
 */
export async function judgeEvidence(
  evidence: Evidence,
  statement: Statement,
  domain: RecordDomain,
  trust: EvidenceTrust,
): Promise<EvidenceVerdict> {
  const context = { crypto: webCrypto(globalThis.crypto.subtle), nowMs: Date.now() }
  return verifyEvidence(evidence, evidenceSubject(statement, domain), trust, context)
}
