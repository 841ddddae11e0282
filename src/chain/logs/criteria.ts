/** Whether a log, or a block by its bloom, meets the criteria of a search. */
import { equalBytes } from '../../base/bytes.ts'
import type { Log } from '../../evm/types.ts'
import { logsBloom } from '../bloom.ts'
import type { LogCriteria } from '../reader.ts'

/** Bits that a value sets in a bloom: by byte. */
type BloomBits = readonly { readonly at: number; readonly mask: number }[]

function bitsOf(bloom: Uint8Array): BloomBits {
  return Array.from(bloom, (mask, at) => ({ at, mask })).filter(({ mask }) => mask !== 0)
}

function isAnyOf(value: Uint8Array, wanted: readonly Uint8Array[]): boolean {
  return wanted.length === 0 || wanted.some((one) => equalBytes(one, value))
}

/** Whether the log itself meets the criteria. A position beyond the log's topics is never met, not even by "any". */
export function matchesLog({ addresses, topics }: LogCriteria, log: Log): boolean {
  if (topics.length > log.topics.length || !isAnyOf(log.address, addresses)) return false
  return topics.every((wanted, position) => isAnyOf(log.topics[position] as Uint8Array, wanted))
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
