/**
 * Instants of CometBFT: nanoseconds since 1970 inside, google.protobuf.Timestamp in hashed records, RFC 3339 in JSON. Plain
 * integer arithmetic, because a JavaScript Date has no nanoseconds and no year 1.
 */
import { concatBytes } from '../../base/bytes.ts'
import { varintField, type Message } from './protobuf.ts'

const NANOS = 1_000_000_000n
const DAY = 86_400n

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value % by < 0n ? quotient - 1n : quotient
}

/** The Timestamp record {seconds = 1, nanos = 2}; nanos are never negative. */
export function encodeTimestamp(timeNs: bigint): Uint8Array {
  const seconds = floorDivide(timeNs, NANOS)
  return concatBytes(varintField(1, seconds), varintField(2, timeNs - seconds * NANOS))
}

/** The instant of a Timestamp record. */
export function decodeTimestamp(message: Message): bigint {
  return message.int(1) * NANOS + message.int(2)
}

// Days since 1970-01-01 of a date in the proleptic Gregorian calendar: years begin in March, so that the leap day is last.
function daysFromDate(year: bigint, month: bigint, day: bigint): bigint {
  const shifted = month <= 2n ? year - 1n : year
  const era = floorDivide(shifted, 400n)
  const yearOfEra = shifted - era * 400n
  const dayOfYear = (153n * (month + (month > 2n ? -3n : 9n)) + 2n) / 5n + day - 1n
  return (
    era * 146_097n + yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear - 719_468n
  )
}

function dateFromDays(days: bigint): readonly [bigint, bigint, bigint] {
  const shifted = days + 719_468n
  const era = floorDivide(shifted, 146_097n)
  const dayOfEra = shifted - era * 146_097n
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n)
  const shiftedMonth = (5n * dayOfYear + 2n) / 153n
  const month = shiftedMonth + (shiftedMonth < 10n ? 3n : -9n)
  const year = yearOfEra + era * 400n + (month <= 2n ? 1n : 0n)
  return [year, month, dayOfYear - (153n * shiftedMonth + 2n) / 5n + 1n]
}

const pad = (value: bigint, width: number) => value.toString().padStart(width, '0')

/** RFC3339Nano in UTC as Go writes it: trailing zeros of the fraction are removed. */
export function formatTime(timeNs: bigint): string {
  const seconds = floorDivide(timeNs, NANOS)
  const days = floorDivide(seconds, DAY)
  const second = seconds - days * DAY
  const [year, month, day] = dateFromDays(days)
  const fraction = pad(timeNs - seconds * NANOS, 9).replace(/0+$/, '')
  const clock = `${pad(second / 3600n, 2)}:${pad((second / 60n) % 60n, 2)}:${pad(second % 60n, 2)}`
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${clock}${fraction && `.${fraction}`}Z`
}

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/

/** The instant of an RFC 3339 text, or undefined when it is not one. */
export function parseTime(text: string): bigint | undefined {
  const match = RFC3339.exec(text)
  if (match === null) return undefined
  const part = (index: number) => BigInt(match[index] ?? '0')
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  const days = daysFromDate(year, month, day)
  const isDate = dateFromDays(days).every((value, i) => value === [year, month, day][i])
  if (!isDate || hour > 23n || minute > 59n || second > 59n) return undefined
  const offset = (part(9) * 60n + part(10)) * 60n * (match[8] === '-' ? -1n : 1n)
  const fraction = BigInt((match[7] ?? '').padEnd(9, '0'))
  return (days * DAY + hour * 3600n + minute * 60n + second - offset) * NANOS + fraction
}
