import { toUpperHexDigits } from '../../base/hex.ts'
import { formatTime } from '../../proof/comet/time.ts'
import { encodeVotes, type RoundSource, WAITING_STEP } from '../encode/round.ts'
import { cometMethod } from '../method.ts'

export const consensus_state = cometMethod({
  summary: 'Summary of the round in progress.',
  args: {},
  handler({ reader }: { readonly reader: RoundSource }) {
    const height = reader.height()
    return {
      round_state: {
        'height/round/step': `${height + 1}/0/${WAITING_STEP}`,
        start_time: formatTime(reader.block(height)?.block.header.timeNs ?? 0n),
        proposal_block_hash: '',
        locked_block_hash: '',
        valid_block_hash: '',
        height_vote_set: encodeVotes(reader.validators(height + 1) ?? []),
        proposer: { address: toUpperHexDigits(reader.validator.address), index: 0 },
      },
    }
  },
})
