/** Whether a log, or a block by its bloom, matches the criteria of a search. */
import { TOPICS_OFFSET, type LogTest } from '../blocks/logsRecord.ts'
import { logsBloom } from '../../chain/bloom.ts'
import type { LogCriteria } from '../../chain/reader.ts'

const TOPIC_SIZE = 32
const WORD_SIZE = 4

/** Bits that a value sets in a bloom: by byte. */
type BloomBits = readonly { readonly at: number; readonly mask: number }[]

function bitsOf(bloom: Uint8Array): BloomBits {
  return Array.from(bloom, (mask, at) => ({ at, mask })).filter(({ mask }) => mask !== 0)
}

/**
 * An address or a topic as four-byte words: comparing them takes a third of the time of single bytes. Signed, which the
 * engine represents best.
 */
function wordsOf(value: Uint8Array): Int32Array {
  const view = new DataView(value.buffer, value.byteOffset, value.length)
  return Int32Array.from({ length: value.length / WORD_SIZE }, (_, i) =>
    view.getInt32(i * WORD_SIZE),
  )
}

/** From the end, where padded addresses and numbers differ. */
function isAt(record: DataView, at: number, words: Int32Array): boolean {
  for (let i = words.length - 1; i >= 0; i--)
    if (record.getInt32(at + i * WORD_SIZE) !== words[i]) return false
  return true
}

function isAnyAt(record: DataView, at: number, wanted: readonly Int32Array[]): boolean {
  for (const words of wanted) if (isAt(record, at, words)) return true
  return wanted.length === 0
}

/** Criterion at one offset of a log: any of some values. */
type Wanted = { readonly offset: number; readonly values: readonly Int32Array[] }

/** Last words of required values, and their offsets: one comparison rules out most logs. */
function lastWordsOf(wanted: readonly Wanted[]): { places: Int32Array; words: Int32Array } {
  const places: number[] = []
  const words: number[] = []
  for (const { offset, values } of wanted) {
    const [value] = values
    if (value === undefined || values.length > 1) continue
    places.push(offset + (value.length - 1) * WORD_SIZE)
    words.push(value[value.length - 1] as number)
  }
  return { places: Int32Array.from(places), words: Int32Array.from(words) }
}

/** A test for logs in place. A position beyond a log's topics never matches, not even "any". */
export function createLogTest({ addresses, topics }: LogCriteria): LogTest {
  const wanted = [addresses, ...topics].map((values, index) => ({
    offset: index === 0 ? 0 : TOPICS_OFFSET + (index - 1) * TOPIC_SIZE,
    values: values.map(wordsOf),
  }))
  const { places, words } = lastWordsOf(wanted)
  return (record, addressAt, topicCount) => {
    if (topicCount < topics.length) return false
    for (let i = 0; i < words.length; i++)
      if (record.getInt32(addressAt + (places[i] as number)) !== words[i]) return false
    for (const { offset, values } of wanted)
      if (!isAnyAt(record, addressAt + offset, values)) return false
    return true
  }
}

/** A test for block blooms: false is definite. The criteria are hashed once, not per block. */
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
