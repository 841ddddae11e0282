/** A worker's evidence as ground for trusting the answer itself (D34). */
import { fromHex } from '../../base/hex.ts'
import { isHardwareFormat } from '../attestation/hardware.ts'
import { verifyEvidence } from '../attestation.ts'
import { statementBytes } from '../job/statement.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import type { ProvenAnchor } from './checkAnchor.ts'
import { time } from './checkTimes.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

/** What a measured worker observed itself. */
const ATTESTED = [
  'output',
  'statement.outputHash',
  'statement.engine',
  'statement.tokens',
  'statement.finishReason',
  'statement.modelRoot',
  'statement.traceRoot',
  'statement.promptTokens',
  'statement.templateHash',
  'statement.renderer',
  'statement.tokenListHash',
  'statement.commitment',
  'statement.rowsRoot',
  'evidence',
  'receipt.evidenceHash',
] as const

/** The evidence of a tee answer; an opml answer has none. Establishes `software`, or with a proven time `hardware`. */
export async function checkEvidence(
  findings: Findings,
  { receipt, statement, evidence }: BundleAnswer,
  domain: RecordDomain,
  anchor: ProvenAnchor | undefined,
  trust: BundleTrust,
  { sha256, attestation }: BundleContext,
): Promise<void> {
  if (evidence === undefined) {
    findings.check(
      statement.jobType === 'opml',
      'an opml answer needs no evidence: anyone can re-execute it',
      'a tee answer without evidence',
    )
    return findings.proves('receipt.evidenceHash')
  }
  if (isHardwareFormat(evidence.format) && trust.evidence.hardware === undefined)
    return findings.unchecked('hardware evidence: name the measurements you trust')
  // Certificates are valid for hours. They must have been valid when the dispatcher recorded the answer, and `checkTimes`
  // holds that time to the one of the anchor.
  const verdict = await verifyEvidence(
    evidence,
    { statementHash: sha256(statementBytes(statement, domain)), nonce: fromHex(statement.seed) },
    trust.evidence,
    { crypto: attestation, nowMs: receipt.recordedAt * 1000 },
  )
  for (const line of verdict.checks) findings.check(true, `evidence: ${line}`, '')
  for (const line of verdict.unchecked) findings.unchecked(`evidence: ${line}`)
  findings.check(
    verdict.ok,
    verdict.level === 'hardware'
      ? `hardware attests to this statement, as of ${time(receipt.recordedAt)}`
      : 'software without a TEE attests to this statement, which proves nothing about the machine',
    `the evidence is invalid: ${verdict.reason}`,
  )
  if (!verdict.ok) return
  if (verdict.level !== 'hardware') return findings.establishes('software')
  if (anchor === undefined)
    return findings.unchecked(
      `time of the evidence: ${time(receipt.recordedAt)} is the dispatcher's word, and certificates may have expired or been revoked since`,
    )
  findings.proves(...ATTESTED)
  findings.establishes('hardware')
}
