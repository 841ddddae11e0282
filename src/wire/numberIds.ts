/**
 * The texts of ids that are numbers. JavaScript reads 1234567890123456789 or 0.1e-400 as another number; a client that made one
 * waits for the answer to that very id.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NUMBER = /^-?\d/
/** The member's name, whose letters may be escaped. */
const ID = /^"(?:i|\\u0069)(?:d|\\u0064)"$/
/** Ends a number, true, false or null. */
const DELIMITER = /[\s,\]}]/g

/** The position after the string that begins at a quote. */
function afterString(body: string, start: number): number {
  for (let at = start + 1; at < body.length; at++) {
    const code = body.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at + 1
  }
  return body.length
}

function afterWord(body: string, start: number): number {
  DELIMITER.lastIndex = start
  return DELIMITER.exec(body)?.index ?? body.length
}

/**
 * The text of the id of each request of a body, which is valid JSON: of its only one, or of those of a batch by their index. It is
 * undefined where the id is not a number.
 */
export function numberIds(body: string): readonly (string | undefined)[] {
  const isBatch = body.trimStart().startsWith('[')
  /** How many brackets are open around the members of a request. */
  const level = isBatch ? 2 : 1
  const ids: (string | undefined)[] = []
  let index = 0
  let depth = 0
  let isKeyNext = false
  let isId = false
  for (let at = 0; at < body.length;) {
    const start = at++
    switch (body[start]) {
      case '{':
      case '[':
        depth++
        if (depth !== level) break
        isKeyNext = body[start] === '{'
        isId = false
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        if (depth === level) isKeyNext = true
        else if (isBatch && depth === 1) index++
        break
      case '"':
        at = afterString(body, start)
        if (depth !== level) break
        if (isKeyNext) isId = ID.test(body.slice(start, at))
        else if (isId) ids[index] = undefined
        isKeyNext = false
        break
      case ':':
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        break
      default: {
        at = afterWord(body, start)
        const word = body.slice(start, at)
        if (depth === level && isId) ids[index] = NUMBER.test(word) ? word : undefined
      }
    }
  }
  return ids
}
