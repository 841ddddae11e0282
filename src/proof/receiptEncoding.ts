/** The EIP-2718 encoding of receipts: leaves of the receipts trie, committed to by consensus results (D6). */
import {
  beginRlp,
  endRlp,
  prependBytes,
  prependList,
  prependRaw,
  prependUint,
  writtenRlp,
} from '../base/rlpWriter.ts'

type EncodedLog = {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** The part of a receipt that its hash covers. Addresses have 20 bytes, topics 32, the bloom 256. */
export type EncodedReceiptFields = {
  readonly type: number
  readonly status: 0 | 1
  readonly cumulativeGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly EncodedLog[]
}

function prependLog({ address, topics, data }: EncodedLog): void {
  const end = writtenRlp()
  prependBytes(data)
  const topicsEnd = writtenRlp()
  for (const topic of topics.toReversed()) prependBytes(topic)
  prependList(topicsEnd)
  prependBytes(address)
  prependList(end)
}

/** type || rlp([status, cumulativeGasUsed, bloom, logs]); without the type for legacy transactions. */
export function encodeReceipt(receipt: EncodedReceiptFields): Uint8Array {
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
