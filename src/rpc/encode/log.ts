/** Log objects (interface.md, "Log"; `blockTimestamp` as execution-apis has it). */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import type { LocatedLog } from '../../chain/reader.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { Result } from '../../wire/method.ts'
import { addressShape, dataShape, hashShape, quantityShape } from '../../wire/shapes.ts'

/** A Log as it stands on the wire. */
export const logShape = z.strictObject({
  address: addressShape,
  topics: z.array(hashShape).max(4),
  data: dataShape,
  blockNumber: quantityShape,
  blockHash: hashShape,
  blockTimestamp: quantityShape,
  transactionHash: hashShape,
  transactionIndex: quantityShape,
  logIndex: quantityShape,
  removed: z.boolean(),
})

export type WireLog = z.output<typeof logShape>

/** The wire form of a log. Blocks are final when they are seen, so no log is ever removed. */
export function encodeLog(log: LocatedLog): WireLog {
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: toHex(log.data),
    blockNumber: toQuantity(log.height),
    blockHash: toHex(log.blockHash),
    blockTimestamp: toQuantity(timestampOf(log)),
    transactionHash: toHex(log.transactionHash),
    transactionIndex: toQuantity(log.transactionIndex),
    logIndex: toQuantity(log.logIndex),
    removed: false,
  }
}

/** The logs of one receipt with their places in the block; `logIndex` counts through the whole block. */
export function locateLogs(
  header: BlockHeader,
  transaction: { readonly hash: Uint8Array; readonly index: number },
  receipt: Receipt,
): LocatedLog[] {
  return receipt.logs.map((log, position) => ({
    height: header.height,
    blockHash: header.hash,
    timeNs: header.timeNs,
    transactionHash: transaction.hash,
    transactionIndex: transaction.index,
    logIndex: receipt.firstLogIndex + position,
    address: log.address,
    topics: log.topics,
    data: log.data,
  }))
}

/** Answers a list of Logs. */
export const logsResult: Result<readonly LocatedLog[]> = {
  schema: z.array(logShape),
  encode: (logs) => logs.map(encodeLog),
}
