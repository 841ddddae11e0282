/** How large a JSON value is: all its levels together. */

/** Number of values, the outermost one included, and of the characters of all texts and keys. */
export type JsonSize = { readonly values: number; readonly characters: number }

/** Whether a value is larger than a limit. Stops at the limit, however large the value is. */
export function isLarger(value: unknown, limit: JsonSize): boolean {
  let values = 0
  let characters = 0
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    values++
    if (typeof next === 'string') characters += next.length
    else if (Array.isArray(next)) {
      if (values + waiting.length + next.length > limit.values) return true
      for (const item of next) waiting.push(item)
    } else if (typeof next === 'object' && next !== null) {
      const members = next as Readonly<Record<string, unknown>>
      for (const key in members) {
        characters += key.length
        waiting.push(members[key])
        if (values + waiting.length > limit.values) return true
      }
    }
    if (characters > limit.characters) return true
  }
  return values > limit.values
}
