import { toUpperHexDigits } from '../../../base/hex.ts'
import { ConsensusError } from '../../../consensus/engine.ts'
import { bytes, flag } from '../argument.ts'
import { encodeTxResult } from '../encode/abci.ts'
import { base64, decimal } from '../encode/primitive.ts'
import { encodeTxProof } from '../encode/txProof.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const tx = cometMethod({
  summary:
    'A transaction by the SHA-256 of its bytes (D21), with a proof of inclusion when asked for.',
  args: { hash: bytes, prove: flag },
  cache: 'always',
  handler({ reader }: Pick<CometServices, 'reader'>, { hash, prove }): object {
    const place = reader.findTransaction(hash)
    const txs = place === undefined ? undefined : reader.block(place.height)?.block.txs
    const result =
      place === undefined ? undefined : reader.results(place.height)?.txResults[place.index]
    const raw = place === undefined ? undefined : txs?.[place.index]
    if (place === undefined || txs === undefined || raw === undefined || result === undefined) {
      throw new ConsensusError(`tx (${toUpperHexDigits(hash)}) not found`)
    }
    return {
      hash: toUpperHexDigits(hash),
      height: decimal(place.height),
      index: place.index,
      tx_result: encodeTxResult(result),
      tx: base64(raw),
      ...(prove ? { proof: encodeTxProof(txs, place.index) } : {}),
    }
  },
})
