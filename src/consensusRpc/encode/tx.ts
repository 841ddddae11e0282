/** Transactions that were looked up or searched for, as JSON. */
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import type { ConsensusReader } from '../../consensus/engine.ts'
import type { EventIndex } from '../../consensus/eventIndex.ts'
import { encodeTxResult } from './abci.ts'
import { base64, decimal } from './primitive.ts'
import { encodeTxProof } from './txProof.ts'

/** What a transaction is read from. */
export type TxSource = {
  readonly reader: Pick<ConsensusReader, 'block'>
  readonly index: Pick<EventIndex, 'transaction'>
}

/** The transaction at a place, with a proof of inclusion when asked for; undefined where its block is not kept. */
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
