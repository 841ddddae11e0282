/** Receipt objects (interface.md, "Transaction receipt"; `type` and `effectiveGasPrice` by D5). */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import { createJsonBytes, type JsonBytes } from '../../base/jsonBytes.ts'
import { toQuantity } from '../../base/quantity.ts'
import { logAt } from '../../ledger/blocks/logsRecord.ts'
import { BLOOM_SIZE, logsBloom } from '../../chain/bloom.ts'
import type { StoredLogs, StoredReceipt } from '../../chain/reader.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { Result } from '../../wire/method.ts'
import { rawJson } from '../../wire/rawJson.ts'
import { addressShape, bloomShape, hashShape, quantityShape } from '../../wire/shapes.ts'
import { logShape, writeLogs } from './log.ts'
import type { BlockPosition } from './transaction.ts'

/** A Receipt on the wire. */
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

/** The inputs of one receipt object. */
export type PlacedReceipt = {
  readonly transaction: Transaction
  readonly receipt: StoredReceipt
  readonly position: BlockPosition
}

/** Writes a receipt; `contractAddress` is null unless the transaction created a contract (D47). */
export function writeReceipt(
  json: JsonBytes,
  { transaction, receipt, position: { header, index } }: PlacedReceipt,
): void {
  const { hash, sender, to } = transaction
  const { contractAddress, logs } = receipt
  json.text(`{"transactionHash":"${toHex(hash)}","transactionIndex":"${toQuantity(index)}"`)
  json.text(`,"blockHash":"${toHex(header.hash)}","blockNumber":"${toQuantity(header.height)}"`)
  json.text(`,"from":"${toHex(sender)}","to":${optionalHex(to)}`)
  json.text(`,"contractAddress":${optionalHex(contractAddress)}`)
  json.text(`,"gasUsed":"${toQuantity(receipt.gasUsed)}"`)
  json.text(`,"cumulativeGasUsed":"${toQuantity(receipt.cumulativeGasUsed)}"`)
  json.text(`,"effectiveGasPrice":"${toQuantity(receipt.effectiveGasPrice)}","logs":`)
  writeLogs(json, header, logs)
  json.text(',"logsBloom":"0x')
  json.hex(bloomOf(logs), 0, BLOOM_SIZE)
  json.text(`","status":"${toQuantity(receipt.status)}","type":"${toQuantity(receipt.type)}"}`)
}

function optionalHex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'null' : `"${toHex(bytes)}"`
}

function bloomOf({ record, places }: StoredLogs): Uint8Array {
  return logsBloom(places.map((place) => logAt(record, place)))
}

/** Encodes a Receipt, or null for a transaction that is unknown or pending. */
export const receiptResult: Result<PlacedReceipt | undefined> = {
  schema: receiptShape.nullable(),
  encode(placed) {
    if (placed === undefined) return null
    const json = createJsonBytes()
    writeReceipt(json, placed)
    return rawJson(json.pieces())
  },
}
