/** JSON parsing for servers: strict (RFC 8259) and of bounded depth. */

/** Maximum nesting depth of arrays and objects in a request; deeper texts do not parse (RFC 8259 section 9). */
export const MAX_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** Position of the quote that ends the string starting at `start`, or -1. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function nestsTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        if (at === -1) return false
        break
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_DEPTH) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
    }
  }
  return false
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

/** A shorter text cannot nest too deep: each level takes two brackets. */
const SHALLOW = 2 * (MAX_DEPTH + 1)

/** A text up to this size is parsed before its depth is checked: even one of nothing but brackets costs little memory. */
const SHORT = 65_536

/**
 * The value of a JSON text. Of duplicate keys the last one wins, and `__proto__` is a key like any other. Throws
 * SyntaxError. The depth of a long text is checked first, so that hostile nesting costs no memory.
 */
export function parseJson(text: string): unknown {
  const isShort = text.length <= SHORT
  if (!isShort && nestsTooDeep(text)) throw tooDeep()
  const value: unknown = JSON.parse(text)
  if (isShort && text.length >= SHALLOW && isDeeper(value, MAX_DEPTH)) throw tooDeep()
  return value
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`JSON is nested deeper than ${MAX_DEPTH} levels`)
}
