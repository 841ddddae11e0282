/** The split of GPT-2 and its descendants: into words, numbers, signs and white space. */
import { CLASS, type CodePoints } from './codePoints.ts'
import type { Split } from './splitRuns.ts'

/** How a family differs from the others. */
export type WordRules = {
  /**
   * `gpt2`: a word takes one space before it. `any`: it takes any one character that is no letter, number or end of line, and
   * signs take the ends of lines after them.
   */
  readonly lead: 'gpt2' | 'any'
  /** Whether 's, 't, 're, 've, 'm, 'll, 'd are pieces: as they are, in either case, or not at all. */
  readonly contractions: 'lower' | 'any'
  /** The longest piece of a number. */
  readonly digits: number
  /** Whether combining marks belong to words. */
  readonly marks?: boolean
}

const SPACE = 32
const APOSTROPHE = 39
const CR = 13
const LF = 10

/** Length of the contraction at a position of the apostrophe, or 0. */
export function contraction(
  { points }: CodePoints,
  at: number,
  end: number,
  isAnyCase: boolean,
): number {
  if (points[at] !== APOSTROPHE) return 0
  const letter = (index: number): string => {
    const point = index < end ? (points[index] as number) : 0
    const text = point < 128 ? String.fromCharCode(point) : ''
    return isAnyCase ? text.toLowerCase() : text
  }
  const [first, second] = [letter(at + 1), letter(at + 2)]
  if (first !== '' && 'stmd'.includes(first)) return 2
  return ['re', 've', 'll'].includes(first + second) ? 3 : 0
}

/** The end of the white space at a position, cut as `\s*[\r\n]+|\s+(?!\S)|\s+` (the first only where `hasLines`). */
export function endOfSpace(
  { points, classes }: CodePoints,
  at: number,
  end: number,
  hasLines: boolean,
): number {
  let stop = at
  let afterLine = 0
  while (stop < end && classes[stop] === CLASS.space) {
    if (points[stop] === CR || points[stop] === LF) afterLine = stop + 1
    stop++
  }
  if (hasLines && afterLine > 0) return afterLine
  // The last space before a word belongs to the word.
  return stop < end && stop - at > 1 ? stop - 1 : stop
}

/** The end of the carriage returns and line feeds at a position. */
function afterLines({ points }: CodePoints, at: number, end: number): number {
  let stop = at
  while (stop < end && (points[stop] === CR || points[stop] === LF)) stop++
  return stop
}

/** The split by a family's rules. */
export function splitWords({ lead, contractions, digits, marks = false }: WordRules): Split {
  const isAny = lead === 'any'
  const isWord = (kind: number | undefined): boolean =>
    kind === CLASS.letter || (marks && kind === CLASS.mark)
  const isSign = (kind: number | undefined): boolean =>
    kind !== undefined && kind !== CLASS.space && kind !== CLASS.number && !isWord(kind)

  const endOfPiece = (text: CodePoints, start: number, end: number): number => {
    const { points, classes } = text
    const kindAt = (index: number): number | undefined => (index < end ? classes[index] : undefined)
    const runFrom = (from: number, test: (kind: number | undefined) => boolean): number => {
      let stop = from
      while (test(kindAt(stop))) stop++
      return stop
    }
    const point = points[start] as number
    const kind = kindAt(start)
    const short = contraction(text, start, end, contractions === 'any')
    if (short > 0) return start + short
    const next = point === SPACE ? start + 1 : start
    const isLead = isAny && point !== CR && point !== LF && kind !== CLASS.number
    if (isWord(kind)) return runFrom(start, isWord)
    if ((isLead || (!isAny && next > start)) && isWord(kindAt(start + 1)))
      return runFrom(start + 1, isWord)
    if (isAny && kind === CLASS.number)
      return Math.min(
        runFrom(start, (each) => each === CLASS.number),
        start + digits,
      )
    if (!isAny && kindAt(next) === CLASS.number)
      return runFrom(next, (each) => each === CLASS.number)
    if (isSign(kindAt(next))) {
      const signs = runFrom(next, isSign)
      return isAny ? afterLines(text, signs, end) : signs
    }
    return endOfSpace(text, start, end, isAny)
  }
  return (text, start, end, cut) => {
    for (let at = start; at < end;) {
      at = endOfPiece(text, at, end)
      cut(at)
    }
  }
}
