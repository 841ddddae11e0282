/** Whether a log, or a block by its bloom, meets the criteria of a search. */
import type { LogTest } from '../blocks/logsRecord.ts'
import { logsBloom } from '../bloom.ts'
import type { LogCriteria } from '../reader.ts'

const TOPIC_SIZE = 32

/** Bits that a value sets in a bloom: by byte. */
type BloomBits = readonly { readonly at: number; readonly mask: number }[]

function bitsOf(bloom: Uint8Array): BloomBits {
  return Array.from(bloom, (mask, at) => ({ at, mask })).filter(({ mask }) => mask !== 0)
}

/** From the end, where padded addresses and numbers differ. */
function isAt(record: Uint8Array, at: number, value: Uint8Array): boolean {
  for (let i = value.length - 1; i >= 0; i--) if (record[at + i] !== value[i]) return false
  return true
}

function isAnyAt(record: Uint8Array, at: number, wanted: readonly Uint8Array[]): boolean {
  for (const one of wanted) if (isAt(record, at, one)) return true
  return wanted.length === 0
}

/** A test for logs where they stand. A position beyond a log's topics is never met, not even by "any". */
export function createLogTest({ addresses, topics }: LogCriteria): LogTest {
  const positions = topics.flatMap((wanted, position) =>
    wanted.length > 0 ? [{ wanted, offset: position * TOPIC_SIZE }] : [],
  )
  return (record, addressAt, topicCount, topicsAt) => {
    if (topicCount < topics.length || !isAnyAt(record, addressAt, addresses)) return false
    for (const { wanted, offset } of positions)
      if (!isAnyAt(record, topicsAt + offset, wanted)) return false
    return true
  }
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
