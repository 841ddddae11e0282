import { ConsensusError } from '../../consensus/engine.ts'
import { paramsJson } from '../../consensus/files/genesis.ts'
import { int64, optional } from '../argument.ts'
import { decimal } from '../encode/primitive.ts'
import { selectHeight } from '../heights.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const consensus_params = cometMethod({
  summary: 'Consensus parameters at a height; by default the next one.',
  args: { height: optional(int64) },
  cache: 'at given height',
  handler({ reader }: Pick<CometServices, 'reader'>, { height }): object {
    const selected = selectHeight(reader, reader.height() + 1, height)
    const params = reader.consensusParams(selected)
    if (params === undefined) {
      throw new ConsensusError(`could not find consensus params for height #${selected}`)
    }
    return {
      block_height: decimal(selected),
      consensus_params: paramsJson(params),
    }
  },
})
