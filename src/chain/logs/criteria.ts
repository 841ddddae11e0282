/** Whether a log, or a block by its bloom, meets the criteria of a search. */
import { logsBloom } from '../bloom.ts'
import type { LogCriteria, LogPlace } from '../reader.ts'

const TOPIC_SIZE = 32

/** Bits that a value sets in a bloom: by byte. */
type BloomBits = readonly { readonly at: number; readonly mask: number }[]

function bitsOf(bloom: Uint8Array): BloomBits {
  return Array.from(bloom, (mask, at) => ({ at, mask })).filter(({ mask }) => mask !== 0)
}

function isAt(record: Uint8Array, at: number, value: Uint8Array): boolean {
  for (let i = 0; i < value.length; i++) if (record[at + i] !== value[i]) return false
  return true
}

function isAnyAt(record: Uint8Array, at: number, wanted: readonly Uint8Array[]): boolean {
  return wanted.length === 0 || wanted.some((one) => isAt(record, at, one))
}

/** A test for logs where they stand. A position beyond a log's topics is never met, not even by "any". */
export function createLogTest({
  addresses,
  topics,
}: LogCriteria): (record: Uint8Array, place: LogPlace) => boolean {
  return (record, { addressAt, topicCount, topicsAt }) =>
    topics.length <= topicCount &&
    isAnyAt(record, addressAt, addresses) &&
    topics.every((wanted, position) => isAnyAt(record, topicsAt + position * TOPIC_SIZE, wanted))
}

/** A test for blooms of blocks: false is certain. The criteria are hashed once, not per block. */
export function createBloomTest({
  addresses,
  topics,
}: LogCriteria): (bloom: Uint8Array) => boolean {
  const bitsOfAddress = (address: Uint8Array): BloomBits =>
    bitsOf(logsBloom([{ address, topics: [], data: new Uint8Array(0) }]))
  // A topic sets the same bits as an address with the same bytes would.
  const groups = [addresses, ...topics]
    .filter((wanted) => wanted.length > 0)
    .map((wanted) => wanted.map(bitsOfAddress))
  const holds = (bloom: Uint8Array, bits: BloomBits): boolean =>
    bits.every(({ at, mask }) => ((bloom[at] as number) & mask) === mask)
  return (bloom) => groups.every((group) => group.some((bits) => holds(bloom, bits)))
}
