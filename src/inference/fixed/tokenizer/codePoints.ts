/**
 * Texts as code points with their classes. Classes are those of Unicode 15.1 on every version of Node, which bring tables of their
 * own: the same text gives the same tokens for ever (D117).
 */
import { UNICODE_RUNS } from './unicode15.ts'

/** Classes of code points. */
export const CLASS = {
  other: 0,
  letter: 1,
  mark: 2,
  number: 3,
  punctuation: 4,
  symbol: 5,
  space: 6,
} as const

const LETTERS = 'CLMNPSW'
const COUNT = 0x110000
const REPLACEMENT = 0xfffd

/** A text: its code points, and the class of each. A surrogate without its other half is U+FFFD, as in UTF-8. */
export type CodePoints = { readonly points: Uint32Array; readonly classes: Uint8Array }

let table: Uint8Array | undefined

function classes(): Uint8Array {
  if (table !== undefined) return table
  table = new Uint8Array(COUNT)
  let at = 0
  for (const [, length = '', letter = ''] of UNICODE_RUNS.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    const end = at + Number.parseInt(length, 36)
    table.fill(LETTERS.indexOf(letter), at, end)
    at = end
  }
  return table
}

/** The code points of a text. */
export function toCodePoints(text: string): CodePoints {
  const points = new Uint32Array(text.length)
  let count = 0
  for (const character of text) {
    const point = character.codePointAt(0) as number
    points[count++] = point >= 0xd800 && point < 0xe000 ? REPLACEMENT : point
  }
  const used = points.subarray(0, count)
  const known = classes()
  return { points: used, classes: Uint8Array.from(used, (point) => known[point] as number) }
}

/** The text of code points from `start` to before `end`. */
export function textOf({ points }: CodePoints, start: number, end: number): string {
  let text = ''
  // A spread of too many arguments overflows the stack.
  for (let from = start; from < end; from += 4096)
    text += String.fromCodePoint(...points.subarray(from, Math.min(from + 4096, end)))
  return text
}
