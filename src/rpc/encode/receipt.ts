/** Receipt objects (interface.md, "Transaction receipt"; `type` and `effectiveGasPrice` by D5). */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { Result } from '../../wire/method.ts'
import { addressShape, bloomShape, hashShape, quantityShape } from '../../wire/shapes.ts'
import { encodeLog, locateLogs, logShape } from './log.ts'
import type { BlockPosition } from './transaction.ts'

/** A Receipt as it stands on the wire. */
export const receiptShape = z.strictObject({
  transactionHash: hashShape,
  transactionIndex: quantityShape,
  blockHash: hashShape,
  blockNumber: quantityShape,
  from: addressShape,
  to: addressShape.nullable(),
  contractAddress: addressShape.nullable(),
  gasUsed: quantityShape,
  cumulativeGasUsed: quantityShape,
  effectiveGasPrice: quantityShape,
  logs: z.array(logShape),
  logsBloom: bloomShape,
  status: z.enum(['0x0', '0x1']),
  type: quantityShape,
})

/** The wire form of a receipt; `contractAddress` is null unless the transaction created a contract (D47). */
export function encodeReceipt(
  transaction: Transaction,
  receipt: Receipt,
  { header, index }: BlockPosition,
): object {
  const logs = locateLogs(header, { hash: transaction.hash, index }, receipt)
  return {
    transactionHash: toHex(transaction.hash),
    transactionIndex: toQuantity(index),
    blockHash: toHex(header.hash),
    blockNumber: toQuantity(header.height),
    from: toHex(transaction.sender),
    to: transaction.to ? toHex(transaction.to) : null,
    contractAddress: receipt.contractAddress ? toHex(receipt.contractAddress) : null,
    gasUsed: toQuantity(receipt.gasUsed),
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: toQuantity(receipt.effectiveGasPrice),
    logs: logs.map(encodeLog),
    logsBloom: toHex(receipt.logsBloom),
    status: toQuantity(receipt.status),
    type: toQuantity(receipt.type),
  }
}

/** What one receipt object is made of. */
export type PlacedReceipt = {
  readonly transaction: Transaction
  readonly receipt: Receipt
  readonly position: BlockPosition
}

/** Answers a Receipt, or null for a transaction that is unknown or pending. */
export const receiptResult: Result<PlacedReceipt | undefined> = {
  schema: receiptShape.nullable(),
  encode: (placed) =>
    placed ? encodeReceipt(placed.transaction, placed.receipt, placed.position) : null,
}
