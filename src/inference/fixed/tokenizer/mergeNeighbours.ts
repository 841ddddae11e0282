/** The merges of byte-pair encoding, of both kinds of vocabularies. */
import { createHeap } from '../heap.ts'

/** The rank of the merge of two pieces, lower ranks first; undefined if they are not merged. */
export type RankOf = (left: string, right: string) => number | undefined

type Piece = { text: string; previous: number; next: number }
type Merge = {
  readonly left: number
  readonly right: number
  readonly text: string
  readonly rank: number
}

/**
 * Merges neighbours, the lowest rank first and among equals the leftmost, until none has a rank. Takes O(n log n) for n
 * pieces, as long as only pieces of bounded length have ranks.
 */
export function mergeNeighbours(parts: readonly string[], rankOf: RankOf): readonly string[] {
  const pieces = parts.map((text, i): Piece => ({ text, previous: i - 1, next: i + 1 }))
  const merges = createHeap<Merge>((a, b) =>
    a.rank === b.rank ? a.left < b.left : a.rank < b.rank,
  )
  const propose = (left: number, right: number): void => {
    const [first, second] = [pieces[left], pieces[right]]
    if (first === undefined || second === undefined) return
    const rank = rankOf(first.text, second.text)
    if (rank !== undefined) merges.push({ left, right, text: first.text + second.text, rank })
  }
  for (let i = 1; i < pieces.length; i++) propose(i - 1, i)
  for (let merge = merges.pop(); merge !== undefined; merge = merges.pop()) {
    const left = pieces[merge.left] as Piece
    const right = pieces[merge.right] as Piece
    // A piece that has since been merged has another text, or none.
    if (left.text === '' || right.text === '' || left.text + right.text !== merge.text) continue
    left.text = merge.text
    right.text = ''
    left.next = right.next
    const after = pieces[right.next]
    if (after !== undefined) after.previous = merge.left
    propose(left.previous, merge.left)
    propose(merge.left, left.next)
  }
  return pieces.map(({ text }) => text).filter((text) => text !== '')
}
