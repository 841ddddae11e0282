import { ConsensusError } from '../../consensus/engine.ts'
import { genesisDocumentText } from '../encode/genesis.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'
import { GENESIS_CHUNK_BYTES } from './genesisChunked.ts'

export const genesis = cometMethod({
  summary: 'The genesis document; if larger than 16 MiB, only through genesis_chunked.',
  args: {},
  cache: 'always',
  handler({ reader }: Pick<CometServices, 'reader'>): object {
    const text = genesisDocumentText(reader)
    if (Buffer.byteLength(text) > GENESIS_CHUNK_BYTES) {
      throw new ConsensusError(
        'genesis response is large, please use the genesis_chunked API instead',
      )
    }
    return { genesis: JSON.parse(text) as unknown }
  },
})
