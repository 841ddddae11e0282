/** Grounds for trusting the answer itself: a worker's evidence, or the verifier's own execution (D34, D35). */
import { fromHex } from '../../base/hex.ts'
import { isHardwareFormat } from '../attestation/hardware.ts'
import { verifyEvidence } from '../attestation.ts'
import { NO_ROOT, statementBytes } from '../job/statement.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import { time } from './checkSignatures.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings, Level } from './report.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

/** The evidence of a tee answer; an opml answer has none. Resolves with its level. */
export async function checkEvidence(
  findings: Findings,
  { receipt, statement, evidence }: BundleAnswer,
  domain: RecordDomain,
  trust: BundleTrust,
  { sha256, attestation }: BundleContext,
): Promise<Level> {
  if (evidence === undefined) {
    findings.check(
      statement.jobType === 'opml',
      'an opml answer needs no evidence: anyone can re-execute it',
      'a tee answer without evidence',
    )
    return 'signed only'
  }
  if (isHardwareFormat(evidence.format) && trust.evidence.hardware === undefined) {
    findings.unchecked('hardware evidence: name the measurements you trust')
    return 'signed only'
  }
  // Certificates are valid for hours: they must have been valid when the dispatcher, by its signature, received them.
  const verdict = await verifyEvidence(
    evidence,
    { statementHash: sha256(statementBytes(statement, domain)), nonce: fromHex(statement.seed) },
    trust.evidence,
    { crypto: attestation, nowMs: receipt.recordedAt * 1000 },
  )
  for (const line of verdict.checks) findings.check(true, `evidence: ${line}`, '')
  findings.check(
    verdict.ok,
    verdict.level === 'hardware'
      ? `hardware attests to this statement, as of ${time(receipt.recordedAt)}`
      : 'software without a TEE attests to this statement, which proves nothing about the machine',
    `the evidence is invalid: ${verdict.reason}`,
  )
  return verdict.level === 'hardware' ? 'hardware' : 'software'
}

/** Compares the statement's commitments with the verifier's own execution. Returns the level if they agree. */
export function checkExecution(
  findings: Findings,
  { statement }: BundleAnswer,
  { executions }: BundleTrust,
): Level | undefined {
  const execution = executions?.get(statement.seed)
  const { modelRoot = NO_ROOT, traceRoot = NO_ROOT } = statement
  if (traceRoot === NO_ROOT || modelRoot === NO_ROOT) {
    findings.unchecked('execution: the statement commits to no steps that could be re-executed')
    return undefined
  }
  if (execution === undefined) {
    findings.unchecked(
      `execution: assay job replay repeats it, against weights ${modelRoot} and steps ${traceRoot}`,
    )
    return undefined
  }
  const agrees = findings.check(
    execution.modelRoot === modelRoot &&
      execution.traceRoot === traceRoot &&
      execution.outputHash === statement.outputHash,
    'your own execution has the same weights, steps and output',
    'your own execution has different weights, steps or output',
  )
  return agrees ? 're-executed' : undefined
}
