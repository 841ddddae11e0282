/** A line of a program's log, for people to read. */
import { stripVTControlCharacters, styleText } from 'node:util'

/** Names of pino's levels, which are multiples of ten. */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

function levelOf(number: number): string {
  return LEVELS[number / 10 - 1] ?? String(number)
}

const COLORS: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
}

/** The content of a line; undefined if it is not a log line. */
export type LogLine = {
  /** Unix time in milliseconds. */
  readonly time: number
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

const OWN_FIELDS = new Set(['level', 'time', 'name', 'msg', 'pid', 'hostname'])

/** Parses a line. */
export function parseLogLine(text: string): LogLine | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const all = value as Readonly<Record<string, unknown>>
  const { level, msg } = all
  const time = Date.parse(String(all['time']))
  if (Number.isNaN(time) || typeof level !== 'number') return undefined
  return {
    time,
    level: levelOf(level),
    message: typeof msg === 'string' ? msg : '',
    fields: Object.fromEntries(Object.entries(all).filter(([name]) => !OWN_FIELDS.has(name))),
  }
}

/** Whether a level is at least as severe as another. */
export function isAtLeast(level: string, least: string): boolean {
  const order: readonly string[] = LEVELS
  return order.indexOf(level) >= order.indexOf(least)
}

/** Text without characters that move the cursor or break the line, whatever a stranger wrote. */
function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    ' ',
  )
}

function fieldText(name: string, value: unknown): string {
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
}

/** One line for the terminal. */
export function formatLogLine(program: string, line: LogLine, colors: boolean): string {
  const { time, level, message, fields } = line
  const clock = new Date(time).toISOString().slice(11, 23)
  const rest = Object.entries(fields).map(([name, value]) => fieldText(name, value))
  const text = harmless([message, ...rest].join('  '))
  const head = `${clock} ${program.padEnd(10)} ${level.padEnd(5)}`
  const color = COLORS[level]
  return `${colors && color !== undefined ? styleText(color, head) : head} ${text}`
}
