import { int64, optional } from '../argument.ts'
import { selectHeight } from '../heights.ts'
import { cometMethod } from '../method.ts'
import { encodedBlock } from '../recentBlocks.ts'
import type { CometServices } from '../world.ts'

export const block = cometMethod({
  summary: 'A block with its id; by default the latest one.',
  args: { height: optional(int64) },
  cache: 'at given height',
  handler: ({ reader }: Pick<CometServices, 'reader'>, { height }) =>
    encodedBlock(reader, selectHeight(reader, reader.height(), height)),
})
