// Holds D99.
import { expect, test } from 'vitest'
import { createOffers } from './offers.ts'

const tx = (id: number, size = 10) => ({
  hash: Uint8Array.of(id),
  raw: new Uint8Array(size).fill(id),
})

function offersOf(limit = 100) {
  const gone = new Set<number>()
  const offers = createOffers((hash) => !gone.has(hash[0] ?? 0), limit)
  const reap = (maxBytes = 0) => offers.reap(maxBytes).map((raw) => raw[0])
  const send = ({ hash, raw }: ReturnType<typeof tx>) => offers.send(hash, raw)
  return { gone, reap, send }
}

test('each transaction is reaped once, in the order in which they came', () => {
  const { reap, send } = offersOf()
  for (const id of [3, 1, 2, 3]) send(tx(id))
  expect(reap()).toEqual([3, 1, 2])
  expect(reap()).toEqual([])
  // Later again, for a peer that is new.
  send(tx(3))
  expect(reap()).toEqual([3])
})

test('what the pool holds no longer is not gossiped', () => {
  const { gone, reap, send } = offersOf()
  for (const id of [1, 2, 3]) send(tx(id))
  gone.add(2)
  expect(reap()).toEqual([1, 3])
})

test('a poll has a maximum size, and the rest comes with the next one', () => {
  const { reap, send } = offersOf()
  for (const id of [1, 2, 3]) send(tx(id))
  expect(reap(25)).toEqual([1, 2])
  expect(reap(25)).toEqual([3])
  for (const id of [1, 2, 3, 4, 5]) send(tx(id, 1_000_000))
  expect(reap()).toEqual([1, 2, 3, 4])
  expect(reap()).toEqual([5])
})

test('the queue has a maximum length', () => {
  const { reap, send } = offersOf(2)
  for (const id of [1, 2, 3]) send(tx(id))
  expect(reap()).toEqual([2, 3])
})
