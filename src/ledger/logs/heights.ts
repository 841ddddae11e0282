/** Heights under codes of the index of logs, read in order, skipping over heights that no other code shares. */
import type { KvTable } from '../../store/kvTable.ts'
import { readHeight } from '../blocks/heightKey.ts'
import { LOG_HEIGHT_AT, logKey, type LogCode } from './logIndex.ts'

/** Ascending heights. */
export type Heights = {
  /** The first height that is not below `from`; Infinity behind the last one. `from` never goes down. */
  seek(from: number): number
}

/** Number of keys per read: few at first and after a skip, more as they are consumed. */
const FEWEST_KEYS = 4
const MOST_KEYS = 256

/** Heights of a code up to `last`. Keys that were read are kept, so a commit between two reads does no harm. */
export function heightsOfCode(index: KvTable, code: LogCode, last: number): Heights {
  const end = logKey(code, last + 1)
  let buffer: readonly number[] = []
  let at = 0
  let size = FEWEST_KEYS
  let isLastBuffer = false

  function read(from: number): void {
    const isLeap = from > (buffer.at(-1) ?? from) + 1
    size = isLeap ? FEWEST_KEYS : Math.min(size * 4, MOST_KEYS)
    const entries = from > last ? [] : index.range({ start: logKey(code, from), end, limit: size })
    buffer = Array.from(entries, ({ key }) => readHeight(key, LOG_HEIGHT_AT))
    isLastBuffer = buffer.length < size
    at = 0
  }

  return {
    seek(from) {
      for (;;) {
        while (at < buffer.length && (buffer[at] as number) < from) at++
        if (at < buffer.length) return buffer[at] as number
        if (isLastBuffer) return Infinity
        read(from)
      }
    },
  }
}

/** The heights of any of them. */
export function unionOf(all: readonly Heights[]): Heights {
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  const heads = all.map(() => -1)
  return {
    seek(from) {
      let first = Infinity
      for (const [i, heights] of all.entries()) {
        let head = heads[i] as number
        if (head < from) {
          head = heights.seek(from)
          heads[i] = head
        }
        if (head < first) first = head
      }
      return first
    },
  }
}

/** Number of skips without a common height after which a height is yielded that may not be common. */
const LEAPS_AT_ONCE = 1024

/**
 * The heights from `first` on that are in all of them, and a few others: a long search for the next one yields the
 * height that it has reached, so that a caller that pauses between heights can pause then too.
 */
export function* commonHeights(all: readonly Heights[], first: number): Generator<number> {
  let target = first
  for (let leaps = 0; target < Infinity;) {
    let next = target
    for (const heights of all) next = Math.max(next, heights.seek(next))
    if (next < Infinity && (next === target || leaps === LEAPS_AT_ONCE)) {
      yield next
      leaps = 0
      next++
    } else leaps++
    target = next
  }
}
