/** Converts the keys that each block changed into the heights at which each key changed. */
import { compareBytes, equalBytes } from '../../base/bytes.ts'

/** The keys of the flat state that a block changed, ascending, each once. */
export type BlockKeys = { readonly height: number; readonly keys: readonly Uint8Array[] }

/** A key of the flat state and the ascending heights at which it changed. */
export type Posting = { readonly key: Uint8Array; readonly heights: readonly number[] }

/** The next key of a block that is not merged yet. */
type Cursor = BlockKeys & { at: number }

function keyOf({ keys, at }: Cursor): Uint8Array {
  return keys[at] as Uint8Array
}

/** Inserts a cursor, in the order of the next keys, then of the heights. */
function insert(cursors: Cursor[], cursor: Cursor): void {
  let low = 0
  let high = cursors.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = cursors[middle] as Cursor
    const order = compareBytes(keyOf(other), keyOf(cursor))
    if (order < 0 || (order === 0 && other.height < cursor.height)) low = middle + 1
    else high = middle
  }
  cursors.splice(low, 0, cursor)
}

/** The postings of blocks in ascending order of their keys: neighbours share a page of the table. Yields one at a time. */
export function* postingsOf(blocks: readonly BlockKeys[]): Generator<Posting> {
  const cursors: Cursor[] = []
  for (const block of blocks) if (block.keys.length > 0) insert(cursors, { ...block, at: 0 })
  for (let first = cursors[0]; first !== undefined; first = cursors[0]) {
    const key = keyOf(first)
    const heights: number[] = []
    for (let next = cursors[0]; next && equalBytes(keyOf(next), key); next = cursors[0]) {
      cursors.shift()
      heights.push(next.height)
      if (++next.at < next.keys.length) insert(cursors, next)
    }
    yield { key, heights }
  }
}
