/**
 * Which operators a round of a job is for (D104). The draw follows from the job, its round's seed and the hash of the block
 * that the draws are bound to, and from nothing else: whoever knows which operators there are can repeat it. It looks at a part
 * of them only, however many there are.
 */
import { compareBytes } from '../base/bytes.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'

/** What a round's draw follows from: hex digits without 0x; `blockHash` is empty where no chain is configured. */
export type CommitteeSeed = {
  readonly jobId: string
  readonly seed: string
  readonly blockHash: string
}

/** An operator and its place on the ring, 32 bytes in hex digits. */
export type Seat = { readonly operator: string; readonly place: string }

/** Operators that are ranked together; larger than any committee that is drawn at once, so that all get as many jobs. */
export const WINDOW = 64

/** The place of an operator on the ring: keccak256 of its address, which has 20 bytes. */
export function seatOf(operator: string): Seat {
  return { operator, place: toHexDigits(keccak256(fromHex(operator))) }
}

/** The place of a round on the ring: keccak256 of job id, seed and block hash. */
export function placeOfRound({ jobId, seed, blockHash }: CommitteeSeed): string {
  return toHexDigits(keccak256(fromHex(`0x${jobId}${seed}${blockHash}`)))
}

/**
 * Operators in the order in which a round is for them. `ring` is sorted by place, without repetitions. From the place of the round
 * on, WINDOW operators at a time are ranked by keccak256 of the round's place and their own, the least first; the ring closes.
 */
export function* drawOrder(round: CommitteeSeed, ring: readonly Seat[]): Generator<string> {
  const place = placeOfRound(round)
  const start = firstFrom(ring, place)
  for (let at = 0; at < ring.length; at += WINDOW) {
    const seats: { readonly operator: string; readonly rank: Uint8Array }[] = []
    for (let next = at; next < Math.min(at + WINDOW, ring.length); next++) {
      const seat = ring[(start + next) % ring.length]
      if (seat !== undefined) seats.push({ operator: seat.operator, rank: rankOf(place, seat) })
    }
    seats.sort((a, b) => compareBytes(a.rank, b.rank))
    for (const { operator } of seats) yield operator
  }
}

function rankOf(place: string, seat: Seat): Uint8Array {
  return keccak256(fromHex(`0x${place}${seat.place}`))
}

/** Index of the first seat at a place or after it; the length of the ring if there is none. */
export function firstFrom(ring: readonly Seat[], place: string): number {
  let low = 0
  let high = ring.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ring[middle]?.place ?? '') < place) low = middle + 1
    else high = middle
  }
  return low
}
