/** The logs bloom of receipts and headers (Yellow Paper, section 4.3.1). */
import { keccak256 } from '../base/keccak.ts'
import type { Log } from '../evm/types.ts'

/** Bytes of a bloom. */
export const BLOOM_SIZE = 256

/** Number of bits that a value sets, of 2,048. */
const BITS = 3

/** Number of cache slots for recent values, each a length byte followed by 32 bytes for the value. */
const PLACES = 1024
const PLACE_SIZE = 33

// Token, event and sender of a log usually repeat those of an earlier log, and comparing a value is much cheaper than
// hashing it.
const values = new Uint8Array(PLACES * PLACE_SIZE)
const bits = new Uint16Array(PLACES * BITS)

function isAt(place: number, value: Uint8Array): boolean {
  const at = place * PLACE_SIZE
  if (values[at] !== value.length) return false
  for (let i = value.length; i > 0; i--) if (values[at + i] !== value[i - 1]) return false
  return true
}

/** The index in `bits` of the three bits of an address or a topic, from the hash's first six bytes. */
function bitsOf(value: Uint8Array): number {
  const { length } = value
  // From the end, where padded addresses and numbers differ.
  const place = (((value[length - 2] as number) << 8) | (value[length - 1] as number)) % PLACES
  const at = place * BITS
  if (isAt(place, value)) return at
  const hash = keccak256(value)
  values[place * PLACE_SIZE] = length
  values.set(value, place * PLACE_SIZE + 1)
  for (let i = 0; i < BITS; i++)
    bits[at + i] = (((hash[2 * i] as number) << 8) | (hash[2 * i + 1] as number)) & 2047
  return at
}

function add(bloom: Uint8Array, value: Uint8Array): void {
  const at = bitsOf(value)
  for (let i = at; i < at + BITS; i++) {
    const bit = bits[i] as number
    const index = BLOOM_SIZE - 1 - (bit >> 3)
    bloom[index] = (bloom[index] as number) | (1 << (bit & 7))
  }
}

// Most receipts have no logs: they share this one. Blooms are never modified once created.
const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE)

/** The 256-byte bloom of logs: addresses and topics. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = new Uint8Array(BLOOM_SIZE)
  for (const { address, topics } of logs) {
    add(bloom, address)
    for (const topic of topics) add(bloom, topic)
  }
  return bloom
}

/** The union of blooms. */
export function uniteBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const union = new DataView(new ArrayBuffer(BLOOM_SIZE))
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue
    const words = new DataView(bloom.buffer, bloom.byteOffset, BLOOM_SIZE)
    for (let at = 0; at < BLOOM_SIZE; at += 4)
      union.setUint32(at, union.getUint32(at) | words.getUint32(at))
  }
  return new Uint8Array(union.buffer)
}
