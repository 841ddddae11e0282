/** How a report on a bundle is printed, and the exit codes of `assay job verify`. */
import { UserError } from '../../base/errors.ts'
import {
  FACTS,
  verdictOf,
  type Fact,
  type Report,
  type Verdict,
} from '../../proof/bundle/report.ts'
import { plain } from '../plain.ts'

/** The exit code of each verdict (D76); 2 is free, because many tools use it for mistakes on the command line. */
export const EXIT_CODES: Readonly<Record<Verdict, number>> = { holds: 0, fails: 1, unchecked: 3 }

const MARKS = { holds: 'ok', fails: 'FAIL', unchecked: 'not checked' } as const

/** The facts of `--require`, separated by commas. Throws UserError. */
export function readFacts(text: string): readonly Fact[] {
  return text.split(',').map((name) => {
    const fact = FACTS.find((each) => each === name.trim())
    if (fact === undefined)
      throw new UserError(
        `--require: "${plain(name)}" is not a fact`,
        `Facts: ${FACTS.join(', ')}.`,
      )
    return fact
  })
}

function verdictText(verdict: Verdict, report: Report, required: readonly Fact[]): string {
  const open = report.lines.filter(({ status }) => status === 'unchecked').length
  const left = `${open} ${open === 1 ? 'item was' : 'items were'} not checked`
  if (verdict === 'fails') return 'NOT PROVEN.'
  if (verdict === 'holds') return `It holds; ${left}.`
  const missing =
    required.length === 0
      ? 'it leads to nothing that you named: pass --dispatcher-address, or what you trust instead'
      : `not established for every answer: ${required.filter((fact) => !report.facts.every((facts) => facts.includes(fact))).join(', ')}`
  return `NOTHING FAILED, BUT ${missing}; ${left}.`
}

/** Prints a report, as lines or as one JSON object, and returns the exit code. */
export function printReport(report: Report, required: readonly Fact[], isJson: boolean): number {
  const verdict = verdictOf(report, required)
  if (isJson) {
    process.stdout.write(`${JSON.stringify({ verdict, ...report }, undefined, 2)}\n`)
    return EXIT_CODES[verdict]
  }
  for (const { about, status, text } of report.lines)
    process.stdout.write(`${MARKS[status].padEnd(11)}  ${about}: ${plain(text)}\n`)
  for (const [at, facts] of report.facts.entries())
    process.stdout.write(`Facts about answer ${at + 1}: ${facts.join(', ') || 'none'}\n`)
  process.stdout.write(`${verdictText(verdict, report, required)}\n`)
  return EXIT_CODES[verdict]
}
