/**
 * Log objects (interface.md, "Log"; `blockTimestamp` as in execution-apis), written directly from their stored form.
 */
import { z } from 'zod'
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { createJsonBytes, type JsonBytes } from '../../base/jsonBytes.ts'
import { toQuantity } from '../../base/quantity.ts'
import { createSlices } from '../../base/slices.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import type { BlockLogs, LogPlace, StoredLogs } from '../../chain/reader.ts'
import type { Result } from '../../wire/method.ts'
import { rawJson, type RawJson } from '../../wire/rawJson.ts'
import { addressShape, dataShape, hashShape, quantityShape } from '../../wire/shapes.ts'
import { writeLogText } from './logText.ts'

/** A Log on the wire. */
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

/** Number of logs written between two reads of the clock. */
const LOGS_PER_LOOK = 512

const HASH_SIZE = 32

type Place = Pick<BlockHeader, 'height' | 'hash' | 'timeNs'>

/** The text between the data and the index of a block's logs: the same for all logs of a transaction. */
function commonOf(
  { height, hash, timeNs }: Place,
  record: Uint8Array,
): (place: LogPlace) => Uint8Array {
  const block = `","blockNumber":"${toQuantity(height)}","blockHash":"${toHex(hash)}","blockTimestamp":"${toQuantity(timestampOf({ timeNs }))}"`
  return ({ transactionHashAt: at, transactionIndex }) =>
    utf8(
      `${block},"transactionHash":"${toHex(record.subarray(at, at + HASH_SIZE))}","transactionIndex":"${toQuantity(transactionIndex)}","logIndex":"`,
    )
}

/** Writes the list of some logs of a block. */
export function writeLogs(json: JsonBytes, block: Place, { record, places }: StoredLogs): void {
  json.text('[')
  const all = { first: 0, end: places.length }
  writeLogText(json, record, places, all, commonOf(block, record))
  json.text(']')
}

/** Each log separately, for notifications. */
export function encodeEachLog({ header, record, places }: BlockLogs): readonly RawJson[] {
  const common = commonOf(header, record)
  return places.map((_, first) => {
    const json = createJsonBytes()
    writeLogText(json, record, places, { first, end: first + 1 }, common)
    return rawJson(json.pieces())
  })
}

/** The list of all logs, written in slices. */
export async function encodeLogs(blocks: readonly BlockLogs[]): Promise<RawJson> {
  const json = createJsonBytes()
  const slices = createSlices()
  let isFirst = true
  json.text('[')
  for (const { header, record, places } of blocks) {
    const common = commonOf(header, record)
    for (let first = 0; first < places.length; first += LOGS_PER_LOOK) {
      if (!isFirst) json.text(',')
      isFirst = false
      const end = Math.min(first + LOGS_PER_LOOK, places.length)
      writeLogText(json, record, places, { first, end }, common)
      if (slices.isOver()) await slices.next()
    }
  }
  json.text(']')
  return rawJson(json.pieces())
}

/** Encodes a list of Logs. */
export const logsResult: Result<readonly BlockLogs[]> = {
  schema: z.array(logShape),
  encode: encodeLogs,
}
