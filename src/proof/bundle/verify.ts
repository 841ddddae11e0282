/**
 * Checks a receipt bundle (D35a) offline: every signature, hash and proof in it, one line each, from what the verifier trusts, and
 * one for whatever nothing proves. Pure: Node and a web page run the same.
 */
import { parseToFirstIssue } from '../../base/boundedSchema.ts'
import { messageOf } from '../../base/errors.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import { checkAnchor, type ProvenAnchor } from './checkAnchor.ts'
import { checkChainClaims } from './checkChainClaims.ts'
import { checkClocks, checkDraw } from './checkDraw.ts'
import { checkEvidence } from './checkEvidence.ts'
import { checkKnown } from './checkKnown.ts'
import { checkModel } from './checkModel.ts'
import { checkRun } from './checkRun.ts'
import { checkReceipt, checkStatement } from './checkSignatures.ts'
import { checkTimes } from './checkTimes.ts'
import { bundle, formatOf, type Bundle, type BundleAnswer } from './format.ts'
import { listOpenClaims } from './openClaims.ts'
import {
  createFindings,
  FACTS,
  type Fact,
  type Findings,
  type Line,
  type Report,
} from './report.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

const MAX_REASON = 300

/** Verifies parsed JSON. Never rejects: JSON that is not a bundle gives one failed line. */
export async function verifyBundle(
  json: unknown,
  trust: BundleTrust,
  context: BundleContext,
): Promise<Report> {
  const findings = createFindings('bundle')
  const parsed = parseToFirstIssue(bundle, json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
    findings.check(
      false,
      '',
      `this is not a receipt bundle: ${where}${issue?.message ?? 'malformed'}`.slice(0, MAX_REASON),
    )
    return { lines: findings.lines, facts: [], holds: false }
  }
  const { data } = parsed
  checkWhole(findings, data, trust)
  const lines: Line[] = [...findings.lines]
  const facts: (readonly Fact[])[] = []
  const domain = { chainId: BigInt(data.chainId), dispatcher: data.dispatcher }
  for (const [at, answer] of data.answers.entries()) {
    const own = createFindings(`answer ${at + 1}`)
    await checkAnswer(own, answer, { id: data.jobId, domain }, trust, context)
    lines.push(...own.lines)
    facts.push(FACTS.filter((fact) => own.facts.has(fact) && !hasFailed(own.lines)))
  }
  return {
    lines,
    facts: hasFailed(findings.lines) ? facts.map(() => []) : facts,
    holds: !hasFailed(lines),
  }
}

const hasFailed = (lines: readonly Line[]): boolean =>
  lines.some(({ status }) => status === 'fails')

function checkWhole(findings: Findings, data: Bundle, trust: BundleTrust): void {
  checkNames(findings, data, trust)
  const { answers } = data
  const format = formatOf(answers)
  findings.check(
    data.format === format,
    `the format is ${format}, which its parts belong to`,
    `the format is ${data.format}, but its parts belong to ${format}`,
  )
  const [first, ...others] = answers
  const same = others.filter(
    ({ statement }) => statement.outputHash === first?.statement.outputHash,
  ).length
  const files = new Set(answers.map(({ statement }) => statement.modelHash)).size
  if (others.length === 0) findings.unchecked('agreement: only one operator answered')
  else if (files > 1)
    findings.unchecked(`agreement: the ${answers.length} answers are from ${files} model files`)
  else if (same === others.length)
    findings.check(true, `${answers.length} answers have the same output`, '')
  else findings.unchecked(`agreement: not all of the ${answers.length} answers are the same`)
  findings.unchecked('completeness: the dispatcher could have left out other answers')
  const distinct = new Set(answers.map(({ receipt }) => `${receipt.operator} ${receipt.round}`))
    .size
  findings.check(
    distinct === answers.length,
    'every answer is from a different operator or round',
    'two answers are from the same operator and round',
  )
}

/** Dispatcher, chain and job, which everything in a bundle is about. */
function checkNames(
  findings: Findings,
  { dispatcher, chainId, jobId }: Bundle,
  trust: BundleTrust,
): void {
  if (trust.dispatcher === undefined)
    findings.unchecked(`dispatcher identity: pin ${dispatcher} to check it`, ['dispatcher'])
  else
    findings.check(
      dispatcher === trust.dispatcher,
      `dispatcher ${dispatcher} is the one you trust`,
      `dispatcher ${dispatcher} is not the one you trust`,
    )
  if (trust.chainId === undefined)
    findings.unchecked(`chain: everything is signed for chain ${chainId}`, ['chainId'])
  else
    findings.check(
      /_(\d+)-\d+$/.exec(trust.chainId)?.[1] === chainId,
      `everything is signed for chain ${chainId}, which is ${trust.chainId}`,
      `everything is signed for chain ${chainId}, which is not ${trust.chainId}`,
    )
  if (trust.jobId === undefined)
    findings.unchecked(`job: whether it is the one that you mean, ${jobId}`, ['jobId'])
  else
    findings.check(
      jobId === trust.jobId,
      `job ${jobId} is the one you named`,
      `job ${jobId} is not the one you named`,
    )
}

async function checkAnswer(
  findings: Findings,
  answer: BundleAnswer,
  { id, domain }: { readonly id: string; readonly domain: RecordDomain },
  trust: BundleTrust,
  context: BundleContext,
): Promise<void> {
  let anchor: ProvenAnchor | undefined
  const steps: readonly (() => void | Promise<void>)[] = [
    () => checkReceipt(findings, answer, { id, domain, sha256: context.sha256 }),
    () => checkStatement(findings, answer, domain),
    () => checkKnown(findings, answer, trust),
    () => checkModel(findings, answer),
    () => {
      anchor = checkAnchor(findings, answer, domain, trust, context)
    },
    () => checkTimes(findings, answer, anchor?.at, trust),
    () => checkDraw(findings, answer),
    () => checkChainClaims(findings, answer, anchor, trust),
    () => checkClocks(findings, answer),
    () => checkEvidence(findings, answer, domain, anchor, trust, context),
    () => checkRun(findings, answer, trust),
    () => listOpenClaims(findings, answer),
  ]
  // The verifier named the dispatcher, which vouches for the operator that it chose.
  if (trust.dispatcher !== undefined) findings.establishes('signed')
  for (const step of steps)
    try {
      await step()
    } catch (error) {
      findings.check(false, '', `a value is malformed: ${messageOf(error)}`)
    }
}
