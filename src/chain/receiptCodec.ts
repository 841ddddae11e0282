/** The EIP-2718 encoding of receipts: leaves of the receipts trie, and what a consensus result commits to (D6). */
import {
  beginRlp,
  endRlp,
  prependBytes,
  prependList,
  prependRaw,
  prependUint,
  writtenRlp,
} from '../base/rlpWriter.ts'
import type { Log } from '../evm/types.ts'
import type { Receipt } from './receipt.ts'

function prependLog({ address, topics, data }: Log): void {
  const end = writtenRlp()
  prependBytes(data)
  const topicsEnd = writtenRlp()
  for (const topic of topics.toReversed()) prependBytes(topic)
  prependList(topicsEnd)
  prependBytes(address)
  prependList(end)
}

/** type || rlp([status, cumulativeGasUsed, bloom, logs]); without the type for legacy transactions. */
export function encodeReceipt(
  receipt: Pick<Receipt, 'type' | 'status' | 'cumulativeGasUsed' | 'logsBloom' | 'logs'>,
): Uint8Array {
  beginRlp()
  for (const log of receipt.logs.toReversed()) prependLog(log)
  prependList(0)
  prependBytes(receipt.logsBloom)
  prependUint(receipt.cumulativeGasUsed)
  prependUint(BigInt(receipt.status))
  prependList(0)
  if (receipt.type !== 0) prependRaw(receipt.type)
  return endRlp()
}
