/**
 * JSON with the error messages of Go's encoding/json, which CometBFT's clients see when a request is malformed. Texts
 * are parsed as everywhere; only what it refuses is scanned again, for the error.
 */

import { JsonBudgetError, parseBounded } from '../base/jsonBudget.ts'

/** The text is not JSON, or beyond its budget. The message is Go's where Go has one. */
export class GoJsonError extends Error {
  override readonly name = 'GoJsonError'
}

const UNEXPECTED_END = 'unexpected end of JSON input'

/** What is expected next. */
type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'rest'

type Fault = { readonly at: number; readonly context: string }

const SPACE = /[ \t\r\n]*/y
const STRING_CHARACTERS = /[ !\u0023-\u005B\u005D-\u00FF]*/y
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** The index after a string that starts at `start`, or its fault. */
function scanString(text: string, start: number): number | Fault {
  let at = start + 1
  for (;;) {
    at += lengthAt(STRING_CHARACTERS, text, at)
    if (text[at] === '"') return at + 1
    if (text[at] !== '\\') return { at, context: 'in string literal' }
    at++
    if (text[at] === 'u') {
      for (let digit = 1; digit <= 4; digit++)
        if (!/^[0-9a-fA-F]$/.test(text[at + digit] ?? ''))
          return { at: at + digit, context: String.raw`in \u hexadecimal character escape` }
      at += 5
    } else if (/^["\\/bfnrt]$/.test(text[at] ?? '')) at++
    else return { at, context: 'in string escape code' }
  }
}

function scanLiteral(text: string, start: number, literal: string): number | Fault {
  for (let i = 1; i < literal.length; i++)
    if (text[start + i] !== literal[i])
      return { at: start + i, context: `in literal ${literal} (expecting '${literal[i]}')` }
  return start + literal.length
}

function scanNumber(text: string, start: number): number | Fault {
  const digits = (at: number): number => lengthAt(/\d*/y, text, at)
  let at = text[start] === '-' ? start + 1 : start
  if (digits(at) === 0) return { at, context: 'in numeric literal' }
  at += text[at] === '0' ? 1 : digits(at)
  if (text[at] === '.') {
    at++
    if (digits(at) === 0) return { at, context: 'after decimal point in numeric literal' }
    at += digits(at)
  }
  if (text[at] !== 'e' && text[at] !== 'E') return at
  at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1
  return digits(at) === 0 ? { at, context: 'in exponent of numeric literal' } : at + digits(at)
}

function scanScalar(text: string, at: number): number | Fault {
  const first = text[at] ?? ''
  const literal = LITERALS[first]
  if (literal !== undefined) return scanLiteral(text, at, literal)
  if (first === '"') return scanString(text, at)
  if (/^[-\d]$/.test(first)) return scanNumber(text, at)
  return { at, context: 'looking for beginning of value' }
}

/** Where a text stops being JSON; undefined when it merely ends too early. */
function findFault(text: string): Fault | undefined {
  const open: ('{' | '[')[] = []
  let expected: Expectation = 'value'
  let at = lengthAt(SPACE, text, 0)
  while (at < text.length) {
    const character = text[at]
    const inside = open.at(-1)
    let next: number | Fault = at + 1
    if (expected === 'colon') {
      if (character !== ':') return { at, context: 'after object key' }
      expected = 'value'
    } else if (expected === 'rest') {
      const closing = inside === '{' ? '}' : ']'
      if (inside === undefined) return { at, context: 'after top-level value' }
      if (character === ',') expected = inside === '{' ? 'key' : 'value'
      else if (character === closing) open.pop()
      else if (inside === '{') return { at, context: 'after object key:value pair' }
      else return { at, context: 'after array element' }
    } else if (
      (character === '}' && expected === 'key or }') ||
      (character === ']' && expected === 'value or ]')
    ) {
      open.pop()
      expected = 'rest'
    } else if (expected === 'key' || expected === 'key or }') {
      if (character !== '"') return { at, context: 'looking for beginning of object key string' }
      next = scanString(text, at)
      expected = 'colon'
    } else if (character === '{' || character === '[') {
      open.push(character)
      expected = character === '{' ? 'key or }' : 'value or ]'
    } else {
      next = scanScalar(text, at)
      expected = 'rest'
    }
    if (typeof next !== 'number') return next
    at = next + lengthAt(SPACE, text, next)
  }
  return undefined
}

/** A character as Go quotes it in these errors. */
function quoteCharacter(character: string): string {
  if (character === "'") return String.raw`'\''`
  if (character === '"') return `'"'`
  const text = JSON.stringify(character).slice(1, -1)
  return `'${text.replace(/^\\u00/, String.raw`\x`)}'`
}

/** The value of a JSON text. Throws GoJsonError. */
export function parseGoJson(text: string): unknown {
  try {
    return parseBounded(text)
  } catch (error) {
    if (error instanceof JsonBudgetError) throw new GoJsonError(error.message)
    // Go works on bytes, so that is what it quotes.
    const bytes = Buffer.from(text).toString('latin1')
    const fault = findFault(bytes)
    const character = fault && bytes[fault.at]
    throw new GoJsonError(
      character === undefined
        ? UNEXPECTED_END
        : `invalid character ${quoteCharacter(character)} ${fault?.context}`,
    )
  }
}

/** How Go names the kind of a JSON value. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const MAX_SHOWN_DEPTH = 8

function isShallow(value: unknown, depth = MAX_SHOWN_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}

/** The JSON text of a value for an error; for a deeply nested one only its kind. */
export function shownJson(value: unknown): string {
  return isShallow(value) ? JSON.stringify(value) : jsonTypeName(value)
}

/** A JSON value as Go's %v prints it. */
export function shownValue(value: unknown): string {
  if (!isShallow(value)) return jsonTypeName(value)
  if (Array.isArray(value)) return `[${value.map(shownValue).join(' ')}]`
  if (value === null) return '<nil>'
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${members.map(([key, member]) => `${key}:${shownValue(member)}`).join(' ')}]`
}
