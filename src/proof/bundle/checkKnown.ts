/** Claims that the verifier can compare with its own knowledge: operators, prompt, submission, model. */
import { promptText } from '../job/canonicalMessages.ts'
import { promptHash } from '../job/hashes.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import type { BundleTrust, KnownRequest } from './trust.ts'

/** Compares what the verifier knows. What it does not know is listed by `listOpenClaims`. */
export function checkKnown(findings: Findings, answer: BundleAnswer, trust: BundleTrust): void {
  const { receipt, statement, params } = answer
  const { prompt, operators, request, modelHash } = trust
  if (operators !== undefined) {
    findings.check(
      operators.includes(statement.operator),
      `operator ${statement.operator} is one you trust`,
      `operator ${statement.operator} is not one you trust`,
    )
    findings.proves('receipt.operator', 'statement.operator')
  }
  if (prompt !== undefined) {
    findings.check(
      promptHash(promptText(prompt, params)) === statement.promptHash,
      'the prompt is the one you gave',
      'the prompt is not the one you gave',
    )
    findings.proves('statement.promptHash', 'vrf.vrf_prompt_hash')
  }
  if (modelHash !== undefined) {
    findings.check(
      statement.modelHash === modelHash,
      `model "${receipt.model}" is the file with the hash that you gave, ${modelHash}`,
      `model "${receipt.model}" is the file with the hash ${statement.modelHash}, not the one that you gave`,
    )
    findings.proves('statement.modelHash')
  }
  if (request !== undefined) checkRequest(findings, answer, request)
}

/** Opens the request hash: the job is what was submitted. */
function checkRequest(
  findings: Findings,
  { receipt, statement }: BundleAnswer,
  request: KnownRequest,
): void {
  findings.check(
    receipt.requestHash === request.requestHash,
    'the request hash is that of your submission',
    'the request hash is not that of your submission: did you give user, tag, priority and deadline as you submitted them?',
  )
  findings.check(
    receipt.model === request.model &&
      statement.jobType === request.jobType &&
      statement.promptHash === request.promptHash &&
      statement.paramsHash === request.paramsHash,
    `model "${receipt.model}", kind of job, prompt and parameters are those of your submission`,
    'model, kind of job, prompt or parameters are not those of your submission',
  )
  findings.proves(
    'receipt.requestHash',
    'receipt.model',
    'statement.jobType',
    'params',
    'statement.paramsHash',
    'statement.promptHash',
    'vrf.vrf_prompt_hash',
  )
}
