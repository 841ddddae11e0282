/** block_search: blocks whose own events meet a query. */
import type { ApplicationEvent } from '../../consensus/application.ts'
import type { EventIndex, HeightRange } from '../../consensus/eventIndex.ts'
import type { Query } from '../query/query.ts'
import type { SearchBudget } from './budget.ts'
import { compileEventMatch } from './matchEvent.ts'
import { planSearch } from './plan.ts'

/** What the search reads. */
export type BlockSearchSource = {
  readonly index: Pick<EventIndex, 'isBlockTag'>
  /** Events of a block's own, which FinalizeBlock answered. */
  blockEvents(height: number): readonly ApplicationEvent[]
  readonly range: HeightRange
}

/** Heights in ascending order. They may be many, so they are counted instead of listed. */
export type Heights = { readonly length: number; at(position: number): number }

const HEIGHT_TAG = 'block.height'
const NONE: Heights = { length: 0, at: () => 0 }

/** Heights of the blocks that a query finds. Throws ConsensusError where the budget ends. */
export async function searchBlocks(
  source: BlockSearchSource,
  query: Query,
  budget: SearchBudget,
): Promise<Heights> {
  const { range, conditions, onHeight, isBounded } = planSearch(query, HEIGHT_TAG, source.range)
  const { first, last } = range
  // Other than in a search for transactions, EXISTS and CONTAINS find no height.
  if (
    !isBounded ||
    onHeight.length > 0 ||
    !conditions.every(({ tag }) => source.index.isBlockTag(tag))
  )
    return NONE
  if (conditions.length === 0)
    return { length: Math.max(0, last - first + 1), at: (position) => first + position }

  const matches = compileEventMatch(conditions)
  const found: number[] = []
  for (let height = first; height <= last; height++) {
    await budget.spend(1)
    if (source.blockEvents(height).some(matches)) found.push(height)
  }
  return { length: found.length, at: (position) => found[position] ?? 0 }
}
