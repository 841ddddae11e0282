/** block_search: finds blocks whose own events match a query. */
import type { ApplicationEvent } from '../../consensus/application.ts'
import type { EventIndex, HeightRange } from '../../consensus/eventIndex.ts'
import type { Query } from '../query/query.ts'
import type { SearchBudget } from './budget.ts'
import { compileEventMatch } from './matchEvent.ts'
import { planSearch } from './plan.ts'

/** What the search reads. */
export type BlockSearchSource = {
  readonly index: Pick<EventIndex, 'isBlockTag'>
  /** The block's own events, from its FinalizeBlock response. */
  blockEvents(height: number): readonly ApplicationEvent[]
  readonly range: HeightRange
}

/** Heights in ascending order. There may be many, so they are not held in an array. */
export type Heights = { readonly length: number; at(position: number): number }

const HEIGHT_TAG = 'block.height'
const NONE: Heights = { length: 0, at: () => 0 }

/** Heights of the blocks that a query finds. Throws ConsensusError when the budget is used up. */
export async function searchBlocks(
  source: BlockSearchSource,
  query: Query,
  budget: SearchBudget,
): Promise<Heights> {
  const { range, conditions, onHeight, isBounded } = planSearch(query, HEIGHT_TAG, source.range)
  const { first, last } = range
  // Unlike in a search for transactions, EXISTS and CONTAINS find no height.
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
