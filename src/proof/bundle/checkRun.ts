/** Compares everything that a statement claims about its execution with the verifier's own (D35, D76). */
import { NO_ROOT, type Statement } from '../job/statement.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import { runKey } from './runKey.ts'
import type { BundleTrust, Execution } from './trust.ts'

/** What both have, with its name. Statements of versions 1 and 2 lack some of it, and claim nothing about that. */
const COMPARED = {
  modelHash: 'model file',
  promptHash: 'prompt',
  paramsHash: 'parameters',
  promptTokens: 'length of the prompt',
  templateHash: 'template',
  renderer: 'renderer',
  tokenListHash: 'token list',
  commitment: 'commitment',
  modelRoot: 'weights',
  rowsRoot: 'rows',
  traceRoot: 'steps',
  outputHash: 'output',
  tokens: 'number of tokens',
  finishReason: 'finish reason',
} as const satisfies Partial<Record<keyof Statement & keyof Execution, string>>

const NAMES = Object.keys(COMPARED) as readonly (keyof typeof COMPARED)[]

/** Zeros are an engine that does not state its token list. */
function isStated(name: keyof typeof COMPARED, value: unknown): boolean {
  return value !== undefined && !(name === 'tokenListHash' && value === NO_ROOT)
}

/** Establishes `re-executed` when the verifier executed the answer and everything agrees. */
export function checkRun(
  findings: Findings,
  { receipt, statement, params }: BundleAnswer,
  { executions }: BundleTrust,
): void {
  if (executions === undefined || statement.jobType !== 'opml') return
  const own = executions.get(runKey({ statement, params }))
  if (own === undefined)
    return findings.unchecked('execution: you executed it with another prompt or not at all')
  if (own.engine !== statement.engine)
    return findings.unchecked(
      `execution: engine "${statement.engine}" cannot be repeated here, by ${own.engine}`,
    )
  const compared = NAMES.filter((name) => isStated(name, statement[name]))
  const different = compared.filter((name) => statement[name] !== own[name])
  const agrees = findings.check(
    different.length === 0,
    `your own execution of "${receipt.model}" (${own.modelHash}) by ${own.engine} has the same ${compared.map((name) => COMPARED[name]).join(', ')}`,
    `your own execution differs: ${different.map((name) => `${COMPARED[name]} ${own[name]} here, ${String(statement[name])} in the statement`).join('; ')}`,
  )
  if (!agrees) return
  findings.proves('output', 'statement.engine', ...compared.map((name) => `statement.${name}`))
  findings.establishes('re-executed')
}
