/** The logs bloom of receipts and headers (Yellow Paper, section 4.3.1). */
import { keccak256 } from '../base/keccak.ts'
import type { Log } from '../evm/types.ts'

/** Bytes of a bloom. */
export const BLOOM_SIZE = 256

/** Bytes of a value's hash in which the positions of its three bits stand, two bytes each. */
const POSITIONS_SIZE = 6

/** A bit position of a value, by where it stands in its hash. */
function bitAt(hash: Uint8Array, at: number): number {
  return (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047
}

function add(bloom: Uint8Array, value: Uint8Array): void {
  const hash = keccak256(value)
  for (let at = 0; at < POSITIONS_SIZE; at += 2) {
    const bit = bitAt(hash, at)
    const index = BLOOM_SIZE - 1 - (bit >> 3)
    bloom[index] = (bloom[index] as number) | (1 << (bit & 7))
  }
}

// Most receipts have no logs: they share this one. Blooms are never written to once they are made.
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
  const union = new Uint8Array(BLOOM_SIZE)
  for (const bloom of blooms)
    if (bloom !== EMPTY_BLOOM)
      for (let i = 0; i < BLOOM_SIZE; i++) union[i] = (union[i] as number) | (bloom[i] as number)
  return union
}

/** Whether the bloom may contain an address or topic; false is certain. */
export function bloomMayContain(bloom: Uint8Array, value: Uint8Array): boolean {
  const hash = keccak256(value)
  for (let at = 0; at < POSITIONS_SIZE; at += 2) {
    const bit = bitAt(hash, at)
    if (((bloom[BLOOM_SIZE - 1 - (bit >> 3)] as number) & (1 << (bit & 7))) === 0) return false
  }
  return true
}
