/** Logs of simulated calls on the wire. They are few, and not stored anywhere. */
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import type { Log } from '../../evm/types.ts'

/** The logs of a simulated transaction, with its position. */
export function encodeSimulatedLogs(
  header: BlockHeader,
  transaction: { readonly hash: Uint8Array; readonly index: number },
  { logs, firstLogIndex }: { readonly logs: readonly Log[]; readonly firstLogIndex: number },
): readonly object[] {
  return logs.map(({ address, topics, data }, position) => ({
    address: toHex(address),
    topics: topics.map(toHex),
    data: toHex(data),
    blockNumber: toQuantity(header.height),
    blockHash: toHex(header.hash),
    blockTimestamp: toQuantity(timestampOf(header)),
    transactionHash: toHex(transaction.hash),
    transactionIndex: toQuantity(transaction.index),
    logIndex: toQuantity(firstLogIndex + position),
    removed: false,
  }))
}
