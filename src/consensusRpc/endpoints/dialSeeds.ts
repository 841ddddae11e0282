import { ConsensusError } from '../../consensus/engine.ts'
import { texts } from '../argument.ts'
import { cometMethod } from '../method.ts'

/** Why dialling is refused. */
export const NO_NETWORK = 'the embedded engine has no network and dials no peers'

export const dial_seeds = cometMethod({
  // See D20.
  summary: 'Connects to seeds; refused, because the embedded engine has no network.',
  args: { seeds: texts },
  handler(_world: object, { seeds }): never {
    throw new ConsensusError(seeds.length === 0 ? 'no seeds provided' : NO_NETWORK)
  },
})
