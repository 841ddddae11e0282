/** Transactions from a lookup or a search, as JSON. */
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import type { ConsensusReader } from '../../consensus/engine.ts'
import type { EventIndex } from '../../consensus/eventIndex.ts'
import { encodeTxResult } from './abci.ts'
import { base64, decimal } from './primitive.ts'
import { encodeTxProof } from './txProof.ts'

/** The inputs of a transaction. */
export type TxSource = {
  readonly reader: Pick<ConsensusReader, 'block'>
  readonly index: Pick<EventIndex, 'transaction'>
}

/** The transaction at a position, with a proof of inclusion if requested; undefined when its block is not stored. */
export function encodeTx(
  { reader, index: transactions }: TxSource,
  { height, index }: { readonly height: number; readonly index: number },
  prove: boolean,
): object | undefined {
  const found = transactions.transaction(height, index)
  if (found === undefined) return undefined
  const txs = prove ? reader.block(height)?.block.txs : undefined
  return {
    hash: toUpperHexDigits(sha256(found.tx)),
    height: decimal(height),
    index,
    tx_result: encodeTxResult(found.result),
    tx: base64(found.tx),
    ...(txs === undefined ? {} : { proof: encodeTxProof(txs, index) }),
  }
}
