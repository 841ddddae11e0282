/** The link between a statement and the evidence about it: both sides must hash the same bytes. */
import { fromHex } from '../base/hex.ts'
import { sha256 } from '../base/sha256.ts'
import type { EvidenceExpectation } from '../proof/attestation.ts'
import type { Statement } from './protocol.ts'
import { statementBytes, type StatementDomain } from './statement.ts'

/** What evidence must bind: SHA-256 of the statement's bytes, and the dispatcher's seed. Throws SyntaxError on a malformed statement. */
export function evidenceSubject(
  statement: Statement,
  domain: StatementDomain,
): EvidenceExpectation {
  const statementHash = sha256(statementBytes(statement, domain))
  return { statementHash, nonce: fromHex(statement.seed) }
}
