/** The link between a statement and the evidence about it: both sides must hash the same bytes. */
import { createHash } from 'node:crypto'
import { fromHex } from '../base/hex.ts'
import type { EvidenceExpectation } from '../proof/attestation.ts'
import type { Statement } from './protocol.ts'
import { statementBytes, type StatementDomain } from './statement.ts'

/** What evidence must bind: SHA-256 of the statement's bytes, and the dispatcher's seed. Throws SyntaxError on a malformed statement. */
export function evidenceSubject(
  statement: Statement,
  domain: StatementDomain,
): EvidenceExpectation {
  const bytes = statementBytes(statement, domain)
  const statementHash = Uint8Array.from(createHash('sha256').update(bytes).digest())
  return { statementHash, nonce: fromHex(statement.seed) }
}
