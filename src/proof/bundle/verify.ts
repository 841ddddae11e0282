/**
 * Checks a receipt bundle (D35a) offline: every signature, hash and proof in it, one line each, from what the verifier trusts. Pure:
 * Node and a web page run the same.
 */
import { messageOf } from '../../base/errors.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import { checkAnchor } from './checkAnchor.ts'
import { checkClocks, checkDraw } from './checkDraw.ts'
import { checkEvidence, checkExecution } from './checkEvidence.ts'
import { checkKnown, checkReceipt, checkStatement } from './checkSignatures.ts'
import { bundle, type Bundle, type BundleAnswer } from './format.ts'
import { createFindings, type Findings, type Level, type Line, type Report } from './report.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

/** Verifies parsed JSON. Never rejects: JSON that is not a bundle gives one failed line. */
export async function verifyBundle(
  json: unknown,
  trust: BundleTrust,
  context: BundleContext,
): Promise<Report> {
  const findings = createFindings('bundle')
  const parsed = bundle.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
    findings.check(
      false,
      '',
      `this is not a receipt bundle: ${where}${issue?.message ?? 'malformed'}`,
    )
    return { lines: findings.lines, levels: [], holds: false }
  }
  const { data } = parsed
  checkWhole(findings, data, trust)
  const lines: Line[] = [...findings.lines]
  const levels: (Level | undefined)[] = []
  const domain = { chainId: BigInt(data.chainId), dispatcher: data.dispatcher }
  for (const [at, answer] of data.answers.entries()) {
    const own = createFindings(`answer ${at + 1}`)
    const level = await checkAnswer(own, answer, { id: data.jobId, domain }, trust, context)
    lines.push(...own.lines)
    levels.push(own.lines.some(({ status }) => status === 'fails') ? undefined : level)
  }
  return { lines, levels, holds: lines.every(({ status }) => status !== 'fails') }
}

function checkWhole(findings: Findings, { dispatcher, answers }: Bundle, trust: BundleTrust): void {
  if (trust.dispatcher === undefined)
    findings.unchecked(`dispatcher identity: pin ${dispatcher} to check it`)
  else
    findings.check(
      dispatcher === trust.dispatcher,
      `dispatcher ${dispatcher} is the one you trust`,
      `dispatcher ${dispatcher} is not the one you trust`,
    )
  const [first, ...others] = answers
  const same = others.filter(
    ({ statement }) => statement.outputHash === first?.statement.outputHash,
  ).length
  if (others.length === 0) findings.unchecked('agreement: only one operator answered')
  else if (same === others.length)
    findings.check(true, `${answers.length} answers have the same output`, '')
  else findings.unchecked(`agreement: not all of the ${answers.length} answers are the same`)
  const distinct = new Set(answers.map(({ receipt }) => `${receipt.operator} ${receipt.round}`))
    .size
  findings.check(
    distinct === answers.length,
    'every answer is from a different operator or round',
    'two answers are from the same operator and round',
  )
}

async function checkAnswer(
  findings: Findings,
  answer: BundleAnswer,
  { id, domain }: { readonly id: string; readonly domain: RecordDomain },
  trust: BundleTrust,
  context: BundleContext,
): Promise<Level> {
  let level: Level = 'signed only'
  const steps: readonly (() => void | Promise<void>)[] = [
    () => checkReceipt(findings, answer, { id, domain, sha256: context.sha256 }),
    () => checkStatement(findings, answer, domain),
    () => checkKnown(findings, answer, trust),
    () => checkDraw(findings, answer),
    () => checkClocks(findings, answer),
    async () => {
      level = await checkEvidence(findings, answer, domain, trust, context)
    },
    () => {
      level = checkExecution(findings, answer, trust) ?? level
    },
    () => checkAnchor(findings, answer, domain, trust, context),
  ]
  for (const step of steps)
    try {
      await step()
    } catch (error) {
      findings.check(false, '', `a value is malformed: ${messageOf(error)}`)
    }
  return level
}
