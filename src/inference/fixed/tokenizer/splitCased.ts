/** The split of GPT-4o, Llama 4 and Tekken: words are also cut where lower case is followed by upper case. */
import { CLASS, type CodePoints } from './codePoints.ts'
import { contraction, endOfSpace } from './splitWords.ts'
import type { Split } from './splitRuns.ts'

/** How a family differs from the others. */
export type CasedRules = {
  /** Whether a contraction belongs to the word before it. */
  readonly hasContractions: boolean
  /** The longest piece of a number. */
  readonly digits: number
}

const SPACE = 32
const CR = 13
const LF = 10
const SLASH = 47

const isUpper = (point: number): boolean => point >= 65 && point <= 90
const isLower = (point: number): boolean => point >= 97 && point <= 122

/**
 * The end of a word: letters that are not a to z, then letters that are not A to Z, at least one of them if there can be.
 * Letters beyond ASCII count as both, as in llama.cpp.
 */
function endOfWord({ points, classes }: CodePoints, start: number, end: number): number {
  const run = (from: number, test: (point: number) => boolean): number => {
    let stop = from
    while (stop < end && classes[stop] === CLASS.letter && test(points[stop] as number)) stop++
    return stop
  }
  const upper = run(start, (point) => !isLower(point))
  const lower = run(upper, (point) => !isUpper(point))
  if (lower > upper) return lower
  // Nothing of lower case follows: the word ends with its last letter that has no case.
  for (let stop = upper; stop > start; stop--) if (!isUpper(points[stop - 1] as number)) return stop
  return upper
}

/** The split by a family's rules. */
export function splitCased({ hasContractions, digits }: CasedRules): Split {
  const endOfPiece = (text: CodePoints, start: number, end: number): number => {
    const { points, classes } = text
    const kindAt = (index: number): number | undefined => (index < end ? classes[index] : undefined)
    const point = points[start] as number
    const kind = kindAt(start)
    const isLead = point !== CR && point !== LF && kind !== CLASS.number && kind !== CLASS.letter
    const word = isLead ? start + 1 : start
    if (kindAt(word) === CLASS.letter) {
      const stop = endOfWord(text, word, end)
      return hasContractions ? stop + contraction(text, stop, end, true) : stop
    }
    if (kind === CLASS.number) {
      let stop = start
      while (kindAt(stop) === CLASS.number && stop - start < digits) stop++
      return stop
    }
    const isSign = (each: number | undefined): boolean =>
      each !== undefined && each !== CLASS.space && each !== CLASS.number && each !== CLASS.letter
    let stop = point === SPACE ? start + 1 : start
    if (!isSign(kindAt(stop))) return endOfSpace(text, start, end, true)
    while (isSign(kindAt(stop))) stop++
    while (stop < end && [CR, LF, SLASH].includes(points[stop] as number)) stop++
    return stop
  }
  return (text, start, end, cut) => {
    for (let at = start; at < end;) {
      at = endOfPiece(text, at, end)
      cut(at)
    }
  }
}
