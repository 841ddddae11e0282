import { expect, test } from 'vitest'
import { drawOrder, seatOf, WINDOW, type CommitteeSeed, type Seat } from './committee.ts'

const operatorAt = (at: number): string => `0x${at.toString(16).padStart(40, '0')}`
const ringOf = (count: number): Seat[] =>
  Array.from({ length: count }, (_, at) => seatOf(operatorAt(at))).sort((a, b) =>
    a.place < b.place ? -1 : 1,
  )
const digits = (at: number): string => at.toString(16).padStart(64, '0')
const round = (at: number): CommitteeSeed => ({
  jobId: digits(at),
  seed: digits(1),
  blockHash: digits(2),
})
const firstOf = (seed: CommitteeSeed, ring: readonly Seat[], size: number): string[] =>
  [...drawOrder(seed, ring)].slice(0, size)

// Holds D104.
test('every operator has one place in the order of a round', () => {
  for (const count of [0, 1, 2, WINDOW, WINDOW + 1, 200]) {
    const order = [...drawOrder(round(7), ringOf(count))]
    expect(new Set(order).size).toBe(count)
    expect(order).toHaveLength(count)
  }
})

test('the order follows from the job, its seed and its block', () => {
  const ring = ringOf(200)
  const drawn = firstOf(round(1), ring, 16)
  expect(firstOf(round(1), ring, 16)).toEqual(drawn)
  for (const change of [{ jobId: digits(9) }, { seed: digits(9) }, { blockHash: digits(9) }])
    expect(firstOf({ ...round(1), ...change }, ring, 16)).not.toEqual(drawn)
})

test('an operator that leaves opens one seat, and nobody else loses theirs', () => {
  const ring = ringOf(200)
  const drawn = firstOf(round(1), ring, 16)
  for (const gone of drawn) {
    const without = ring.filter(({ operator }) => operator !== gone)
    const after = firstOf(round(1), without, 16)
    const kept = new Set(drawn.filter((operator) => operator !== gone))
    expect(after.filter((operator) => !kept.has(operator)).length).toBeLessThanOrEqual(1)
  }
})

test('all operators get about as many jobs', () => {
  const ring = ringOf(300)
  const counts = new Map<string, number>()
  const rounds = 1500
  for (let at = 0; at < rounds; at++)
    for (const operator of firstOf(round(at), ring, 16))
      counts.set(operator, (counts.get(operator) ?? 0) + 1)
  const fair = (rounds * 16) / ring.length
  expect(counts.size).toBe(ring.length)
  for (const count of counts.values()) {
    expect(count).toBeGreaterThan(fair / 2)
    expect(count).toBeLessThan(fair * 2)
  }
})
