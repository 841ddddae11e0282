/** What a check of a receipt bundle found, line by line. */
import type { Line, Report, Status } from '../../../src/proof/bundle/report.ts'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { Badge } from '../parts/Badge.tsx'
import { LEVELS } from './trustLevels.ts'

const STATUSES: Readonly<Record<Status, string>> = {
  holds: 'passed',
  fails: 'failed',
  unchecked: 'not checked',
}

function Verdict({ report }: { readonly report: Report }) {
  const open = report.lines.filter(({ status }) => status === 'unchecked').length
  if (!report.holds)
    return (
      <div className="verdict verdict-bad" role="alert">
        <strong>Not proven</strong>
        <p>Do not trust these answers: at least one check failed.</p>
      </div>
    )
  return (
    <div className="verdict" role="status">
      <strong>All checks passed</strong>
      <p>
        {open === 0
          ? 'Nothing was left unchecked.'
          : `${grouped(open)} ${open === 1 ? 'item was' : 'items were'} not checked, as listed.`}
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

/** The verdict, the level of each answer, what fails or was not checked, and, collapsed, what holds. */
export function BundleReport({ report }: { readonly report: Report }) {
  const holding = report.lines.filter(({ status }) => status === 'holds')
  return (
    <div className="bundle-report">
      <Verdict report={report} />
      {report.levels.map((level, index) => (
        // Answers have no other name than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <p key={index} className="trust-level">
          {report.levels.length > 1 && <span>Answer {index + 1} </span>}
          {level === undefined ? (
            <Badge tone="bad">Untrusted</Badge>
          ) : (
            <>
              <Badge tone={LEVELS[level].tone}>{LEVELS[level].name}</Badge>{' '}
              <span className="soft">{LEVELS[level].about}</span>
            </>
          )}
        </p>
      ))}
      <Lines lines={report.lines.filter(({ status }) => status !== 'holds')} />
      <details>
        <summary>{grouped(holding.length)} checks passed</summary>
        <Lines lines={holding} />
      </details>
    </div>
  )
}
