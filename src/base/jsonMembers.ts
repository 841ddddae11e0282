/** Looks into a JSON object without parsing it. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MAX_KEY = 64
const MAX_VALUE = 1024

/** Position after the string that starts at `start`; the length of the text where it does not end. */
function afterString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at === -1) return text.length
    let first = at
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((at - first) % 2 === 0) return at + 1
  }
}

function textAt(text: string, start: number, end: number, longest: number): string | undefined {
  if (end - start > longest) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start, end))
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The value of a top-level member that is a short string, of a text that may be hostile: nothing else is parsed, nothing is
 * built, and whether the text is JSON at all is not said. Of duplicate keys the last one counts. Undefined if there is none.
 */
export function stringMember(text: string, name: string): string | undefined {
  let depth = 0
  let key: string | undefined
  let found: string | undefined
  for (let at = 0; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = afterString(text, at)
        if (depth === 1 && key === undefined) key = textAt(text, at, end, MAX_KEY) ?? ''
        else if (depth === 1 && key === name) found = textAt(text, at, end, MAX_VALUE)
        at = end - 1
        break
      }
      case 0x2c:
        if (depth === 1) key = undefined
        break
      case 0x5b:
      case 0x7b:
        depth++
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
    }
  return found
}
