import { ConsensusError } from '../../consensus/engine.ts'
import { uint } from '../argument.ts'
import { genesisDocumentText } from '../encode/genesis.ts'
import { decimal } from '../encode/primitive.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

/** Size of one chunk, in bytes. */
export const GENESIS_CHUNK_BYTES = 16 * 1024 * 1024

export const genesis_chunked = cometMethod({
  summary: 'A chunk of the genesis document, in base64.',
  args: { chunk: uint },
  cache: 'always',
  handler({ reader }: Pick<CometServices, 'reader'>, { chunk }): object {
    const bytes = Buffer.from(genesisDocumentText(reader))
    const total = Math.ceil(bytes.length / GENESIS_CHUNK_BYTES)
    if (chunk >= BigInt(total)) {
      // CometBFT counts from zero here.
      throw new ConsensusError(`there are ${total - 1} chunks, ${chunk} is invalid`)
    }
    const start = Number(chunk) * GENESIS_CHUNK_BYTES
    return {
      chunk: decimal(chunk),
      total: decimal(total),
      data: bytes.subarray(start, start + GENESIS_CHUNK_BYTES).toString('base64'),
    }
  },
})
