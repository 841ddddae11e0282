// Holds D99.
import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fakeClock.ts'
import { createNewcomers } from './newcomers.ts'

const peers = (...ids: readonly string[]) => ids.map((id) => ({ id }))

test('a peer that is new is told of at once and a few times later, and one that stays is not', async () => {
  const clock = createFakeClock(0n)
  const stopping = new AbortController()
  let told = 0
  const { look } = createNewcomers(clock, stopping.signal, () => told++)
  look(peers())
  expect(told).toBe(0)
  look(peers('a', 'b'))
  look(peers('b', 'a'))
  expect(told).toBe(1)
  await clock.advance(100_000)
  expect(told).toBe(4)
  look(peers('a'))
  expect(told).toBe(4)
  look(peers('a', 'b'))
  expect(told).toBe(5)
  stopping.abort()
  await clock.advance(100_000)
  expect(told).toBe(5)
})
