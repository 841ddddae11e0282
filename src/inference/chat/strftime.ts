/** Python's strftime in UTC and English, as far as chat templates use it: the same text on every machine (D120). */

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Formats a time in seconds since 1970. Directives that are not known stay as they are. */
export function strftime(seconds: number, format: string): string {
  const date = new Date(seconds * 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const month = MONTHS[date.getUTCMonth()] as string
  const day = DAYS[date.getUTCDay()] as string
  const values: Readonly<Record<string, string>> = {
    '%Y': String(date.getUTCFullYear()).padStart(4, '0'),
    '%y': two(date.getUTCFullYear() % 100),
    '%m': two(date.getUTCMonth() + 1),
    '%d': two(date.getUTCDate()),
    '%b': month.slice(0, 3),
    '%B': month,
    '%a': day.slice(0, 3),
    '%A': day,
    '%H': two(date.getUTCHours()),
    '%M': two(date.getUTCMinutes()),
    '%S': two(date.getUTCSeconds()),
    '%%': '%',
  }
  return format.replaceAll(/%[A-Za-z%]/g, (directive) => values[directive] ?? directive)
}
