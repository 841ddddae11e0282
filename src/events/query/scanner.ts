/** Tokens of the query language. Their names are the ones that CometBFT's error messages use. */
import { goTimeFault } from './goTime.ts'
import { parseDate, parseInstant } from './instant.ts'

export type TokenKind =
  | 'end'
  | 'tag'
  | 'string'
  | 'number'
  | 'timestamp'
  | 'datestamp'
  | 'AND operator'
  | 'CONTAINS operator'
  | 'EXISTS operator'
  | '= operator'
  | '< operator'
  | '<= operator'
  | '> operator'
  | '>= operator'
  | 'invalid token'

export type Token = {
  readonly kind: TokenKind
  /** Without quotes and without the keyword before a date or time; for an invalid token, what is wrong with it. */
  readonly text: string
  /** Index of the first UTF-16 unit. */
  readonly start: number
  /** Index after the last one. */
  readonly end: number
}

const SPACE = /\s*/uy
const NUMBER = /\d+(?:\.\d*)?/uy
const TAG = /[\p{L}_][\p{L}\p{Nd}._-]*/uy
const STRING = /'([^']*)'/uy
const COMPARISON = /=|[<>]=?/uy
const TIME_TEXT = /[-T:+Z\d]*/uy
const DATE_TEXT = /[-\d]*/uy

const KEYWORDS: ReadonlySet<string> = new Set(['AND', 'CONTAINS', 'EXISTS'])

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** Converts an index to an offset in UTF-8 bytes, as CometBFT counts. */
export function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index))
}

function instant(text: string, keyword: 'TIME' | 'DATE', start: number, at: number): Token {
  const [pattern, kind, label, parse] =
    keyword === 'TIME'
      ? ([TIME_TEXT, 'timestamp', 'timestamp', parseInstant] as const)
      : ([DATE_TEXT, 'datestamp', 'datestamp', parseDate] as const)
  const value = matchAt(pattern, text, at)?.[0] ?? ''
  const end = at + value.length
  if (parse(value) === undefined) {
    return {
      kind: 'invalid token',
      text: `invalid ${keyword} value: ${goTimeFault(value, keyword)}`,
      start,
      end,
    }
  }
  const year = Number(value.slice(0, 4))
  if (year < 1900 || year > 2999) {
    return { kind: 'invalid token', text: `${label} year ${year} out of range`, start, end }
  }
  return { kind, text: value, start, end }
}

/** The token at or after an index. Never throws: what is not a token has the kind 'invalid token'. */
export function scan(text: string, from: number): Token {
  const start = from + (matchAt(SPACE, text, from)?.[0].length ?? 0)
  if (start >= text.length) return { kind: 'end', text: 'EOF', start, end: start }
  const found = (kind: TokenKind, match: RegExpExecArray): Token => ({
    kind,
    text: match[1] ?? match[0],
    start,
    end: start + match[0].length,
  })

  const number = matchAt(NUMBER, text, start)
  if (number !== undefined) return found('number', number)

  const tag = matchAt(TAG, text, start)
  if (tag !== undefined) {
    const [word] = tag
    const end = start + word.length
    // A date or time follows its keyword after exactly one space; without it the word is an ordinary tag.
    if ((word === 'TIME' || word === 'DATE') && text[end] === ' ') {
      return instant(text, word, start, end + 1)
    }
    return found(KEYWORDS.has(word) ? (`${word} operator` as TokenKind) : 'tag', tag)
  }

  const string = matchAt(STRING, text, start)
  if (string !== undefined) return found('string', string)
  if (text[start] === "'") {
    return { kind: 'invalid token', text: 'EOF', start, end: text.length }
  }

  const comparison = matchAt(COMPARISON, text, start)
  if (comparison !== undefined) return found(`${comparison[0]} operator` as TokenKind, comparison)

  const character = String.fromCodePoint(text.codePointAt(start) ?? 0)
  const end = start + character.length
  return {
    kind: 'invalid token',
    text: `invalid input ${character} at offset ${byteOffset(text, end)}`,
    start,
    end,
  }
}
