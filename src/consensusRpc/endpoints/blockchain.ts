import { ConsensusError, type ConsensusReader } from '../../consensus/engine.ts'
import { int64 } from '../argument.ts'
import { encodeBlockMeta } from '../encode/block.ts'
import { decimal } from '../encode/primitive.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

const MAX_BLOCKS = 20

/** The range to return, lowest and highest height: the requested one, limited to existing blocks and to 20 of them. */
function selectRange(
  reader: Pick<ConsensusReader, 'height' | 'earliestHeight'>,
  min: bigint,
  max: bigint,
): readonly [number, number] {
  if (min < 0n || max < 0n) throw new ConsensusError('heights must be non-negative')
  const latest = reader.height()
  const highest = max === 0n || max > BigInt(latest) ? latest : Number(max)
  const wanted = min === 0n ? 1 : min > BigInt(latest) ? min : Number(min)
  const floor = Math.max(reader.earliestHeight(), highest - MAX_BLOCKS + 1)
  const lowest = wanted < floor ? floor : wanted
  if (lowest > highest) {
    throw new ConsensusError(`min height ${lowest} can't be greater than max height ${highest}`)
  }
  return [Number(lowest), highest]
}

export const blockchain = cometMethod({
  summary: 'Headers in a range of heights, highest first, at most 20.',
  args: { minHeight: int64, maxHeight: int64 },
  cache: 'always',
  handler({ reader }: Pick<CometServices, 'reader'>, { minHeight, maxHeight }): object {
    const [lowest, highest] = selectRange(reader, minHeight, maxHeight)
    const metas: object[] = []
    for (let height = highest; height >= lowest; height--) {
      const stored = reader.block(height)
      if (stored !== undefined) metas.push(encodeBlockMeta(stored))
    }
    return { last_height: decimal(reader.height()), block_metas: metas }
  },
})
