/** What is wrong with a date or time of a query, with the messages of Go's time.Parse, which CometBFT passes on. */
import { MAX_ZONE_HOURS } from './instant.ts'

type Field = {
  /** How Go's layout spells it. */
  readonly layout: string
  readonly digits: RegExp
  /** Checked immediately, unless the name is missing. */
  readonly range?: { readonly name: string; readonly first: number; readonly last: number }
}

const YEAR: Field = { layout: '2006', digits: /^\d{4}/ }
const MONTH: Field = {
  layout: '01',
  digits: /^\d{2}/,
  range: { name: 'month', first: 1, last: 12 },
}
const DAY: Field = { layout: '02', digits: /^\d{2}/ }
const HOUR: Field = {
  layout: '15',
  digits: /^\d{1,2}/,
  range: { name: 'hour', first: 0, last: 23 },
}
const MINUTE: Field = {
  layout: '04',
  digits: /^\d{2}/,
  range: { name: 'minute', first: 0, last: 59 },
}
const SECOND: Field = {
  layout: '05',
  digits: /^\d{2}/,
  range: { name: 'second', first: 0, last: 59 },
}
const ZONE: Field = { layout: 'Z07:00', digits: /^(?:Z|[+-]\d{2}:\d{2})/ }

const DATE = [YEAR, '-', MONTH, '-', DAY] as const
const TIME = [...DATE, 'T', HOUR, ':', MINUTE, ':', SECOND, ZONE] as const

function layoutText(parts: readonly (Field | string)[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.layout)).join('')
}

/** What is wrong with a text that is not a valid date or time. */
export function goTimeFault(text: string, kind: 'DATE' | 'TIME'): string {
  const parts = kind === 'DATE' ? DATE : TIME
  const whole = `parsing time ${JSON.stringify(text)}`
  let rest = text
  for (const part of parts) {
    const layout = typeof part === 'string' ? part : part.layout
    const found =
      typeof part === 'string'
        ? rest.startsWith(part) && part
        : (part.digits.exec(rest)?.[0] ?? false)
    if (found === false) {
      const place = `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(layout)}`
      return `${whole} as ${JSON.stringify(layoutText(parts))}: ${place}`
    }
    const range = typeof part === 'string' ? undefined : part.range
    if (range !== undefined && (Number(found) < range.first || Number(found) > range.last))
      return `${whole}: ${range.name} out of range`
    rest = rest.slice(found.length)
  }
  if (rest !== '') return `${whole}: extra text: ${JSON.stringify(rest)}`
  const isZoneTooFar = Number(/[+-](\d{2}):\d{2}$/.exec(text)?.[1] ?? '0') > MAX_ZONE_HOURS
  return `${whole}: ${kind === 'TIME' && isZoneTooFar ? 'time zone offset hour' : 'day'} out of range`
}
