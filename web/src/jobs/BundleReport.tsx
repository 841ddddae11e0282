/** What a check of a receipt bundle found, line by line. */
import { verdictOf, type Line, type Report, type Status } from '../../../src/proof/bundle/report.ts'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { Badge } from '../parts/Badge.tsx'
import { FACT_WORDS } from './facts.ts'

const STATUSES: Readonly<Record<Status, string>> = {
  holds: 'passed',
  fails: 'failed',
  unchecked: 'not checked',
}

function Verdict({ report }: { readonly report: Report }) {
  const open = report.lines.filter(({ status }) => status === 'unchecked').length
  const verdict = verdictOf(report)
  if (verdict === 'fails')
    return (
      <div className="verdict verdict-bad" role="alert">
        <strong>Not proven</strong>
        <p>Do not trust these answers: at least one check failed.</p>
      </div>
    )
  return (
    <div className="verdict" role="status">
      <strong>{verdict === 'holds' ? 'It holds' : 'Nothing failed'}</strong>
      <p>
        {verdict === 'unchecked' &&
          'This page does not know dispatcher and operator, so their signatures may be anybody’s. '}
        {grouped(open)} {open === 1 ? 'item was' : 'items were'} not checked, as listed.
      </p>
    </div>
  )
}

function Lines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <ul className="lines">
      {lines.map(({ about, status, text }, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className={`line line-${status}`}>
          <span className="visually-hidden">{STATUSES[status]}: </span>
          <span className="soft">{oneLine(about, 30)}</span> <bdi>{oneLine(text, 400)}</bdi>
        </li>
      ))}
    </ul>
  )
}

/** The verdict, the facts about each answer, what fails or was not checked, and, collapsed, what holds. */
export function BundleReport({ report }: { readonly report: Report }) {
  const holding = report.lines.filter(({ status }) => status === 'holds')
  return (
    <div className="bundle-report">
      <Verdict report={report} />
      {report.facts.map((facts, index) => (
        // Answers have no other name than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="trust-level">
          {report.facts.length > 1 && <span>Answer {index + 1} </span>}
          {facts.length === 0 && (
            <Badge tone={report.holds ? 'plain' : 'bad'}>
              {report.holds ? 'No fact established' : 'Untrusted'}
            </Badge>
          )}
          {facts.map((fact) => (
            <p key={fact}>
              <Badge tone={FACT_WORDS[fact].tone}>{FACT_WORDS[fact].name}</Badge>{' '}
              <span className="soft">{FACT_WORDS[fact].about}</span>
            </p>
          ))}
        </div>
      ))}
      <Lines lines={report.lines.filter(({ status }) => status !== 'holds')} />
      <details>
        <summary>{grouped(holding.length)} checks passed</summary>
        <Lines lines={holding} />
      </details>
    </div>
  )
}
