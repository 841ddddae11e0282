/** Dates of the query language; its times are RFC 3339 (proof/comet/time.ts). */
import { parseTime } from '../../proof/comet/time.ts'

/** The instant at which a day `yyyy-mm-dd` begins in UTC, or undefined when the text is not a day of the calendar. */
export function parseDate(text: string): bigint | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined
}
