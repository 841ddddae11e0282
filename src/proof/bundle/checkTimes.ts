/** The times of an answer: their order, and how close they are to a proven one (D77). */
import { formatTime } from '../comet/time.ts'
import type { Statement } from '../job/statement.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import type { BundleTrust } from './trust.ts'

/** How far the clocks of operator, dispatcher and chain may differ, in seconds. */
const CLOCK_SLACK = 60
const DEFAULT_ANCHOR_DELAY = 3600

/** The text of an instant in seconds since 1970. Throws RangeError beyond year 9999. */
export function time(seconds: number): string {
  return formatTime(BigInt(seconds) * 1_000_000_000n)
}

/** Whether the times of a statement and of its record, in seconds since 1970, can be those of one answer. */
export function areTimesInOrder({
  createdAt = 0,
  startedAt,
  finishedAt,
  recordedAt,
}: Pick<Statement, 'createdAt' | 'startedAt' | 'finishedAt'> & {
  readonly recordedAt: number
}): boolean {
  return (
    createdAt <= startedAt + CLOCK_SLACK &&
    startedAt <= finishedAt &&
    finishedAt <= recordedAt + CLOCK_SLACK
  )
}

/** The order of the times, and with a proven anchor (in seconds since 1970) that it followed the record soon. */
export function checkTimes(
  findings: Findings,
  { receipt, statement }: BundleAnswer,
  anchoredAt: number | undefined,
  { maxAnchorDelay = DEFAULT_ANCHOR_DELAY }: BundleTrust,
): void {
  const { createdAt, startedAt, finishedAt } = statement
  const { recordedAt } = receipt
  const created = createdAt === undefined ? '' : `submitted ${time(createdAt)}, `
  const times = `${created}started ${time(startedAt)}, finished ${time(finishedAt)}, recorded ${time(recordedAt)}`
  findings.check(
    areTimesInOrder({ ...statement, recordedAt }),
    `the times are in order: ${times}`,
    `the times are not in order: ${times}`,
  )
  if (anchoredAt === undefined) return
  findings.check(
    recordedAt <= anchoredAt + CLOCK_SLACK &&
      anchoredAt - recordedAt <= maxAnchorDelay + CLOCK_SLACK,
    `it was anchored ${time(anchoredAt)}, ${Math.max(anchoredAt - recordedAt, 0)} s after it was recorded`,
    `it claims to be recorded ${time(recordedAt)}, but was anchored ${time(anchoredAt)}, which is ${anchoredAt < recordedAt ? 'before' : `more than ${maxAnchorDelay} s later: allow a longer delay if this dispatcher anchors less often`}`,
  )
}
