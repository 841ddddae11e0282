import { int64, optional } from '../argument.ts'
import { encodeHeader } from '../encode/block.ts'
import { selectHeight } from '../heights.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const header = cometMethod({
  summary: 'A header; by default the latest one.',
  args: { height: optional(int64) },
  cache: 'at given height',
  handler({ reader }: Pick<CometServices, 'reader'>, { height }) {
    const stored = reader.block(selectHeight(reader, reader.height(), height))
    return { header: stored === undefined ? null : encodeHeader(stored.block.header) }
  },
})
