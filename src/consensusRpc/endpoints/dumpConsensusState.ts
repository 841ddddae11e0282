import { formatTime } from '../../proof/comet/time.ts'
import { decimal } from '../encode/primitive.ts'
import {
  encodeLastCommit,
  encodeValidatorSet,
  encodeVotes,
  type RoundSource,
  WAITING_STEP,
} from '../encode/round.ts'
import { cometMethod } from '../method.ts'

export const dump_consensus_state = cometMethod({
  // See D20.
  summary: 'The round in progress and the peers; the embedded engine has none.',
  args: {},
  handler({ reader }: { readonly reader: RoundSource }) {
    const height = reader.height()
    const validators = reader.validators(height + 1) ?? []
    const lastValidators = reader.validators(height) ?? []
    const commit = reader.commit(height)?.commit
    return {
      round_state: {
        height: decimal(height + 1),
        round: 0,
        step: WAITING_STEP,
        start_time: formatTime(reader.block(height)?.block.header.timeNs ?? 0n),
        commit_time: formatTime(commit?.signatures[0]?.timeNs ?? 0n),
        validators: encodeValidatorSet(validators),
        proposal: null,
        proposal_block: null,
        proposal_block_parts: null,
        locked_round: -1,
        locked_block: null,
        locked_block_parts: null,
        valid_round: -1,
        valid_block: null,
        valid_block_parts: null,
        votes: encodeVotes(validators),
        commit_round: -1,
        last_commit: encodeLastCommit(commit, lastValidators),
        last_validators: encodeValidatorSet(lastValidators),
        triggered_timeout_precommit: false,
      },
      peers: [],
    }
  },
})
