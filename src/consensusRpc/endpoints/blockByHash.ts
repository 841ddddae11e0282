import { bytes } from '../argument.ts'
import { encodeStoredBlock } from '../encode/block.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const block_by_hash = cometMethod({
  summary: 'The block with a given header hash; null if there is none.',
  args: { hash: bytes },
  cache: 'always',
  handler({ reader }: Pick<CometServices, 'reader'>, { hash }) {
    const height = reader.heightOfBlock(hash)
    return encodeStoredBlock(height === undefined ? undefined : reader.block(height))
  },
})
