/** JSON of strangers: strict (RFC 8259), and bounded in bytes, depth and number of values before it is parsed (D71). */

/** The budget of one JSON text. */
export type JsonLimits = {
  /** Size of the text in UTF-8, in bytes. */
  readonly bytes: number
  /** Nesting of arrays and objects. */
  readonly depth: number
  /** Arrays, objects, and the commas between their members: about the number of values. */
  readonly values: number
}

/**
 * The budget of a request, whatever server reads it. Servers hold the size to limits of their own before, so it is
 * infinite here.
 */
export const REQUEST_LIMITS: JsonLimits = { bytes: Infinity, depth: 64, values: 100_000 }

/** The text is beyond its budget. The message says what there is too much of, and the maximum. */
export class JsonBudgetError extends SyntaxError {
  override readonly name = 'JsonBudgetError'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** A search costs as much as this many characters one by one: in short strings, and in those full of escapes, it loses. */
const NEAR = 32

/** Position of the quote that ends a string, from `at` in it up to `limit`, or -1. */
function walkString(text: string, at: number, limit: number): number {
  const last = Math.min(limit, text.length)
  for (let place = at; place < last; place++) {
    const code = text.charCodeAt(place)
    if (code === QUOTE) return place
    if (code === BACKSLASH) place++
  }
  return -1
}

/** Position of the quote that ends the string starting at `start`, or -1. */
function endOfString(text: string, start: number): number {
  const near = walkString(text, start + 1, start + NEAR)
  if (near !== -1) return near
  const end = text.indexOf('"', start + NEAR)
  return end === -1 || !isEscaped(text, end) ? end : walkString(text, end + 1, text.length)
}

function tooDeep({ depth }: JsonLimits): JsonBudgetError {
  return new JsonBudgetError(`JSON is nested deeper than ${depth} levels`)
}

/** Throws at the first bracket or comma beyond the budget. Only what stands outside strings counts. */
function requireBudget(text: string, limits: JsonLimits): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        if (at === -1) return
        break
      case 0x5b:
      case 0x7b:
        if (++depth > limits.depth) throw tooDeep(limits)
        values++
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
      case 0x2c:
        values++
        break
    }
    if (values > limits.values)
      throw new JsonBudgetError(`JSON has more than ${limits.values} values`)
  }
}

/** Whether a value nests arrays and objects deeper than `levels`. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true
    return false
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const key in members) if (isDeeper(members[key], levels - 1)) return true
  return false
}

/** A text up to this size is parsed before its depth is checked: even one of nothing but brackets costs little memory. */
const SHORT = 65_536

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new SyntaxError('JSON is not UTF-8')
  }
}

/**
 * The value of a JSON text, or of its bytes in UTF-8. Of duplicate keys the last one wins, and `__proto__` is a key like
 * any other. Throws JsonBudgetError for a text beyond its budget, before it is parsed where that could cost much, and
 * SyntaxError for what is not JSON.
 */
export function parseBounded(
  given: string | Uint8Array,
  limits: JsonLimits = REQUEST_LIMITS,
): unknown {
  // No text has more UTF-16 units than bytes of UTF-8.
  if (given.length > limits.bytes)
    throw new JsonBudgetError(`JSON is longer than ${limits.bytes} bytes`)
  const text = typeof given === 'string' ? given : textOf(given)
  // Each value takes a character, and each level two brackets.
  const isShort = text.length <= SHORT && text.length <= limits.values
  if (!isShort) requireBudget(text, limits)
  const value: unknown = JSON.parse(text)
  if (isShort && text.length > 2 * limits.depth && isDeeper(value, limits.depth))
    throw tooDeep(limits)
  return value
}
