/** The facts about one answer as a path (D66, D169): what is reached, and what each step that is open needs. */
import type { Fact, Report } from '../../../src/proof/bundle/report.ts'
import type { JobType } from './types.ts'

/** `failed`: a check failed, so that nothing is known of the answer. */
export type StepState = 'reached' | 'open' | 'failed'

export type Step = {
  readonly fact: Fact
  readonly state: StepState
  /** What the step takes, where it is open. */
  readonly need: string
}

export type Seal = {
  readonly verdict: 'failed' | 'proven' | 'vouched' | 'anchored' | 'open'
  readonly steps: readonly Step[]
}

/** Every answer is signed, then anchored; then an execution of its own proves it, or hardware and a second engine do. */
const PATHS: Readonly<Record<JobType, readonly Fact[]>> = {
  opml: ['signed', 'anchored', 're-executed'],
  tee: ['signed', 'anchored', 'refereed', 'hardware'],
}

const ANCHOR_LINE = /^anchor: /

function needOf(fact: Fact, report: Report, index: number, jobId: string): string {
  const facts = report.facts[index] ?? []
  const about = new Set([`answer ${index + 1}`, 'this browser'])
  const own = report.lines.filter((line) => line.status === 'unchecked' && about.has(line.about))
  switch (fact) {
    case 'signed':
      return 'Its signatures are good. Say whether its dispatcher is the one that you mean.'
    case 'anchored': {
      const line =
        own.find(({ text }) => ANCHOR_LINE.test(text)) ??
        own.find(({ about: by }) => by === 'this browser')
      const reason = line?.text.replace(ANCHOR_LINE, '')
      return `The chain records receipts every few seconds${reason === undefined ? '.' : `: ${reason}.`}`
    }
    case 're-executed':
      return `Repeat it where the model is: assay job replay ${jobId}`
    case 'hardware':
      return facts.includes('software')
        ? 'Its worker attested in software, which proves nothing about the machine. A worker in a TEE reaches this.'
        : 'No evidence of hardware was accepted. Name the measurements that you trust: assay job verify.'
    default:
      return 'Let a second engine judge it, token by token: assay job replay.'
  }
}

function verdictOf({ holds, facts }: Report, index: number): Seal['verdict'] {
  if (!holds) return 'failed'
  const known = facts[index] ?? []
  if (known.includes('re-executed') || known.includes('hardware')) return 'proven'
  if (known.includes('signed')) return 'vouched'
  return known.includes('anchored') ? 'anchored' : 'open'
}

/** The seal of one answer of a bundle, by its position. */
export function sealOf(report: Report, index: number, jobType: JobType, jobId: string): Seal {
  const verdict = verdictOf(report, index)
  const known = report.facts[index] ?? []
  const steps = PATHS[jobType].map((fact): Step => {
    if (verdict === 'failed') return { fact, state: 'failed', need: '' }
    return known.includes(fact)
      ? { fact, state: 'reached', need: '' }
      : { fact, state: 'open', need: needOf(fact, report, index, jobId) }
  })
  return { verdict, steps }
}
