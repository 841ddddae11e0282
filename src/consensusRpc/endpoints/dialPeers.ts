import { ConsensusError } from '../../consensus/engine.ts'
import { flag, texts } from '../argument.ts'
import { NO_NETWORK } from './dialSeeds.ts'
import { cometMethod } from '../method.ts'

export const dial_peers = cometMethod({
  // See D20.
  summary: 'Connects to peers; refused, because the embedded engine has no network.',
  args: { peers: texts, persistent: flag, unconditional: flag, private: flag },
  handler(_world: object, { peers }): never {
    throw new ConsensusError(peers.length === 0 ? 'no peers provided' : NO_NETWORK)
  },
})
