import { toUpperHexDigits } from '../../../base/hex.ts'
import { formatTime } from '../../../proof/comet/time.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const consensus_state = cometMethod({
  summary:
    'The round in progress. A lone validator decides at once, so it is always the first step of a height.',
  args: {},
  handler({ reader }: Pick<CometServices, 'reader'>) {
    const height = reader.height()
    const validators = reader.validators(height + 1) ?? []
    const power = validators.reduce((sum, validator) => sum + validator.power, 0n)
    const votes = validators.map(() => 'nil-Vote')
    const bits = `BA{${validators.length}:${'_'.repeat(validators.length)}} 0/${power} = 0.00`
    return {
      round_state: {
        'height/round/step': `${height + 1}/0/1`,
        start_time: formatTime(reader.block(height)?.block.header.timeNs ?? 0n),
        proposal_block_hash: '',
        locked_block_hash: '',
        valid_block_hash: '',
        height_vote_set: [
          {
            round: 0,
            prevotes: votes,
            prevotes_bit_array: bits,
            precommits: votes,
            precommits_bit_array: bits,
          },
        ],
        proposer: { address: toUpperHexDigits(reader.validator.address), index: 0 },
      },
    }
  },
})
