import { ConsensusError } from '../../consensus/engine.ts'
import { int64, optional } from '../argument.ts'
import {
  encodeConsensusParamUpdates,
  encodeEvent,
  encodeTxResult,
  encodeValidatorUpdate,
} from '../encode/abci.ts'
import { base64, decimal, listOrNull } from '../encode/primitive.ts'
import { selectHeight } from '../heights.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const block_results = cometMethod({
  summary: 'Results of executing a block; by default the latest one.',
  args: { height: optional(int64) },
  cache: 'at given height',
  handler({ reader }: Pick<CometServices, 'reader'>, { height }): object {
    const selected = selectHeight(reader, reader.height(), height)
    const results = reader.results(selected)
    if (results === undefined) {
      throw new ConsensusError(`could not find results for height #${selected}`)
    }
    return {
      height: decimal(selected),
      txs_results: listOrNull(results.txResults.map(encodeTxResult)),
      finalize_block_events: listOrNull(results.events.map(encodeEvent)),
      validator_updates: listOrNull(results.validatorUpdates.map(encodeValidatorUpdate)),
      consensus_param_updates: encodeConsensusParamUpdates(results.consensusParamUpdates),
      app_hash: base64(results.appHash),
    }
  },
})
