import { int64, optional } from '../argument.ts'
import { encodeCommit, encodeHeader } from '../encode/block.ts'
import { selectHeight } from '../heights.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const commit = cometMethod({
  summary:
    'A header and the signatures over it, which light clients verify; by default the latest one.',
  args: { height: optional(int64) },
  cache: 'at given height',
  handler({ reader }: Pick<CometServices, 'reader'>, args) {
    const height = selectHeight(reader, reader.height(), args.height)
    const stored = reader.block(height)
    const found = reader.commit(height)
    if (stored === undefined || found === undefined) return null
    return {
      signed_header: {
        header: encodeHeader(stored.block.header),
        commit: encodeCommit(found.commit),
      },
      canonical: found.canonical,
    }
  },
})
