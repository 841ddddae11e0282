import { toUpperHexDigits } from '../../base/hex.ts'
import { ConsensusError } from '../../consensus/engine.ts'
import { bytes, flag } from '../argument.ts'
import { encodeTx } from '../encode/tx.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const tx = cometMethod({
  // See D21.
  summary: 'A transaction by the SHA-256 of its bytes, with an inclusion proof on request.',
  args: { hash: bytes, prove: flag },
  cache: 'always',
  handler(services: Pick<CometServices, 'reader' | 'index'>, { hash, prove }): object {
    if (hash.length === 0) throw new ConsensusError('transaction hash cannot be empty')
    const place = services.reader.findTransaction(hash)
    const found = place && encodeTx(services, place, prove)
    if (found === undefined) throw new ConsensusError(`tx (${toUpperHexDigits(hash)}) not found`)
    return found
  },
})
