import { ConsensusError } from '../../consensus/engine.ts'
import { texts } from '../argument.ts'
import { cometMethod } from '../method.ts'

/** Why nobody can be dialled. */
export const NO_NETWORK = 'this engine has no network: it has no peers and dials none'

export const dial_seeds = cometMethod({
  summary: 'Connects to seeds; refused, because the embedded engine has no network (D20).',
  args: { seeds: texts },
  handler(_world: object, { seeds }): never {
    throw new ConsensusError(seeds.length === 0 ? 'no seeds provided' : NO_NETWORK)
  },
})
