/** Dates and times of the query language, as Go parses them. */
import { parseTime } from '../../proof/comet/time.ts'

/** The instant at which a day `yyyy-mm-dd` begins in UTC, or undefined when the text is not a calendar day. */
export function parseDate(text: string): bigint | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined
}

/** Maximum offset from UTC that Go accepts. */
export const MAX_ZONE_HOURS = 24

/** The instant of an RFC 3339 text, in which the hour may have one digit; undefined when it is not one. */
export function parseInstant(text: string): bigint | undefined {
  const zone = Number(/[+-](\d{2}):\d{2}$/.exec(text)?.[1] ?? '0')
  return zone > MAX_ZONE_HOURS ? undefined : parseTime(text.replace(/T(\d):/, 'T0$1:'))
}
