/**
 * Makes text from strangers safe to show. React escapes it; this limits its length and its effect on its surroundings.
 */

// Control characters, and marks that turn the direction of what follows or take no room.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu
// The same, but for line breaks and tabs.
const INVISIBLE_IN_LINES = /[^\n\t\P{Cc}]|[\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu

function visible(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** At most `limit` characters, and an ellipsis where more follow. Never cuts a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
  return `${text.slice(0, end)}…`
}

/** One line of at most `limit` characters in which nothing is invisible. */
export function oneLine(text: string, limit = 120): string {
  return clip(text, limit).replace(INVISIBLE, visible)
}

/** Lines in which nothing but breaks and tabs is invisible. */
export function lines(text: string, limit: number): string {
  return clip(text, limit).replace(INVISIBLE_IN_LINES, visible)
}

/** The beginning and the end of a hash or address. */
export function shorten(hex: string, start = 10, end = 6): string {
  return hex.length <= start + end + 1 ? hex : `${hex.slice(0, start)}…${hex.slice(-end)}`
}
