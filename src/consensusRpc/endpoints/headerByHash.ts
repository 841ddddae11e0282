import { hexBytes } from '../argument.ts'
import { encodeHeader } from '../encode/block.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const header_by_hash = cometMethod({
  summary: 'The header with a given hash; null if there is none.',
  args: { hash: hexBytes },
  cache: 'always',
  handler({ reader }: Pick<CometServices, 'reader'>, { hash }) {
    const height = reader.heightOfBlock(hash)
    const stored = height === undefined ? undefined : reader.block(height)
    return { header: stored === undefined ? null : encodeHeader(stored.block.header) }
  },
})
