/** Splits that cut runs of like characters out of a text. */
import { CLASS, type CodePoints } from './codePoints.ts'

/**
 * One step of a pre-tokenizer: cuts the code points from `start` to before `end` into pieces, and calls `cut` with the end of
 * each. The last end is `end`. Takes time in proportion to the length.
 */
export type Split = (
  text: CodePoints,
  start: number,
  end: number,
  cut: (end: number) => void,
) => void

/** Whether a code point belongs to a run. */
type Test = (point: number, kind: number) => boolean

/** Cuts out runs of at least `least` and at most `most` code points that pass the test; what lies between them is a piece. */
function splitRuns(test: Test, most: number, least = 1): Split {
  return ({ points, classes }, start, end, cut) => {
    let open = start
    let at = start
    while (at < end) {
      let stop = at
      while (
        stop < end &&
        stop - at < most &&
        test(points[stop] as number, classes[stop] as number)
      )
        stop++
      if (stop - at < least) {
        at = Math.max(stop, at + 1)
        continue
      }
      if (at > open) cut(at)
      cut(stop)
      open = stop
      at = stop
    }
    if (end > open) cut(end)
  }
}

const isNumber: Test = (_, kind) => kind === CLASS.number
const isDigit: Test = (point) => point >= 48 && point <= 57
const among =
  (characters: string): Test =>
  (point, kind) =>
    kind === CLASS.punctuation || (point < 128 && characters.includes(String.fromCharCode(point)))

/** `\p{N}` */
export const splitEachNumber: Split = splitRuns(isNumber, 1)

/** `\p{N}+` */
export const splitNumbers: Split = splitRuns(isNumber, Infinity)

/** `[0-9][0-9][0-9]` */
export const splitThreeDigits: Split = splitRuns(isDigit, 3, 3)

/** `[\p{P}$+<=>^~|]+` */
export const splitPunctuation: Split = splitRuns(among('$+<=>^~|'), Infinity)

/** The same with a backtick, as in Falcon. */
export const splitFalconPunctuation: Split = splitRuns(among('$+<=>^~|`'), Infinity)
