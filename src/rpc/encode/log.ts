/** Log objects (interface.md, "Log"; `blockTimestamp` as execution-apis has it), written from where they are stored. */
import { z } from 'zod'
import { EMPTY_BYTES, utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { createJsonBytes, type JsonBytes } from '../../base/jsonBytes.ts'
import { toQuantity } from '../../base/quantity.ts'
import { createSlices } from '../../base/slices.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import type { BlockLogs, LogPlace, StoredLogs } from '../../chain/reader.ts'
import type { Result } from '../../wire/method.ts'
import { rawJson, type RawJson } from '../../wire/rawJson.ts'
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

/** Logs that are written between two looks at the clock. */
const LOGS_PER_LOOK = 256

const ADDRESS = utf8('{"address":"0x')
const TOPICS = utf8('","topics":[')
const TOPIC = utf8('"0x')
const NEXT_TOPIC = utf8('","0x')
const DATA_AFTER_TOPICS = utf8('"],"data":"0x')
const DATA_WITHOUT_TOPICS = utf8('],"data":"0x')
// Blocks are final when they are seen, so no log is ever removed.
const END = utf8('","removed":false}')
const COMMA = utf8(',')

const HASH_SIZE = 32
const ADDRESS_SIZE = 20

type Place = Pick<BlockHeader, 'height' | 'hash' | 'timeNs'>

/** A writer of the logs of one block. What they share is made once: for the block, and for each transaction. */
function createLogWriter(
  { height, hash, timeNs }: Place,
  record: Uint8Array,
): (json: JsonBytes, place: LogPlace) => void {
  const block = `","blockNumber":"${toQuantity(height)}","blockHash":"${toHex(hash)}","blockTimestamp":"${toQuantity(timestampOf({ timeNs }))}"`
  let transactionIndex = -1
  let shared: Uint8Array = EMPTY_BYTES

  function enter(place: LogPlace): void {
    transactionIndex = place.transactionIndex
    const at = place.transactionHashAt
    shared = utf8(
      `${block},"transactionHash":"${toHex(record.subarray(at, at + HASH_SIZE))}","transactionIndex":"${toQuantity(transactionIndex)}","logIndex":"`,
    )
  }

  return (json, place) => {
    const { addressAt, topicCount, topicsAt, dataAt, dataLength } = place
    if (place.transactionIndex !== transactionIndex) enter(place)
    json.bytes(ADDRESS)
    json.hex(record, addressAt, addressAt + ADDRESS_SIZE)
    json.bytes(TOPICS)
    for (let i = 0; i < topicCount; i++) {
      json.bytes(i === 0 ? TOPIC : NEXT_TOPIC)
      json.hex(record, topicsAt + i * HASH_SIZE, topicsAt + (i + 1) * HASH_SIZE)
    }
    json.bytes(topicCount > 0 ? DATA_AFTER_TOPICS : DATA_WITHOUT_TOPICS)
    json.hex(record, dataAt, dataAt + dataLength)
    json.bytes(shared)
    json.quantity(place.logIndex)
    json.bytes(END)
  }
}

/** Writes the list of some logs of a block. */
export function writeLogs(json: JsonBytes, block: Place, { record, places }: StoredLogs): void {
  const write = createLogWriter(block, record)
  json.text('[')
  for (const [index, place] of places.entries()) {
    if (index > 0) json.bytes(COMMA)
    write(json, place)
  }
  json.text(']')
}

/** Each log by itself, for notifications. */
export function encodeEachLog({ header, record, places }: BlockLogs): readonly RawJson[] {
  const write = createLogWriter(header, record)
  return places.map((place) => {
    const json = createJsonBytes()
    write(json, place)
    return rawJson(json.pieces())
  })
}

/** The list of all logs, written a stretch at a time. */
export async function encodeLogs(blocks: readonly BlockLogs[]): Promise<RawJson> {
  const json = createJsonBytes()
  const slices = createSlices()
  let count = 0
  json.text('[')
  for (const { header, record, places } of blocks) {
    const write = createLogWriter(header, record)
    for (const place of places) {
      if (count++ > 0) json.bytes(COMMA)
      write(json, place)
      if (count % LOGS_PER_LOOK === 0 && slices.isOver()) await slices.next()
    }
  }
  json.text(']')
  return rawJson(json.pieces())
}

/** Answers a list of Logs. */
export const logsResult: Result<readonly BlockLogs[]> = {
  schema: z.array(logShape),
  encode: encodeLogs,
}
