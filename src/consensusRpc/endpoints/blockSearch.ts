import { searchBlocks } from '../../events/search/blocks.ts'
import { createSearchBudget } from '../../events/search/budget.ts'
import { int, optional, text } from '../argument.ts'
import { encodeStoredBlock } from '../encode/block.ts'
import { decimal } from '../encode/primitive.ts'
import { selectOrdered } from '../heights.ts'
import { cometMethod } from '../method.ts'
import { readSearchQuery } from '../readQuery.ts'
import type { CometServices } from '../world.ts'

export const block_search = cometMethod({
  summary: 'Blocks whose own events match a query, newest first unless order_by is "asc".',
  args: { query: text, page: optional(int), per_page: optional(int), order_by: text },
  async handler(
    { reader, index }: Pick<CometServices, 'reader' | 'index'>,
    { query, page, per_page, order_by },
    { signal },
  ): Promise<object> {
    const source = {
      index,
      blockEvents: (height: number) => reader.results(height)?.events ?? [],
      range: { first: reader.earliestHeight(), last: reader.height() },
    }
    const heights = await searchBlocks(source, readSearchQuery(query), createSearchBudget(signal))
    const order = { orderBy: order_by, absent: 'desc' } as const
    return {
      blocks: selectOrdered(heights.length, order, page, per_page).flatMap((at) => {
        const stored = reader.block(heights.at(at))
        return stored === undefined ? [] : encodeStoredBlock(stored)
      }),
      total_count: decimal(heights.length),
    }
  },
})
