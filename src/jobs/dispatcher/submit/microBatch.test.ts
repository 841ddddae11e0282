import { expect, test } from 'vitest'
import { microBatch } from './microBatch.ts'

test('calls that come while a batch runs share the next one, in order, and get their own answers', async () => {
  const batches: (readonly number[])[] = []
  const double = microBatch<number, number>(
    async (items) => {
      batches.push(items)
      await new Promise((resolve) => setImmediate(resolve))
      return items.map((value) =>
        value === 3 ? { error: new Error('three') } : { value: value * 2 },
      )
    },
    { limit: 3, parallel: 1, enough: 1 },
  )
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map(double))
  expect(batches).toEqual([[0], [1, 2, 3], [4]])
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : -1))).toEqual([
    0, 2, 4, -1, 8,
  ])
})

test('a batch that fails fails all of its calls, and the next one runs', async () => {
  let runs = 0
  const call = microBatch<number, number>(
    async (items) => {
      if (runs++ === 0) throw new Error('away')
      return items.map((value) => ({ value }))
    },
    { limit: 10, parallel: 1, enough: 1 },
  )
  const first = call(1)
  const second = call(2)
  await expect(first).rejects.toThrow('away')
  expect(await second).toBe(2)
})

test('another batch begins beside one that runs when there is enough for it, and no sooner', async () => {
  const batches: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const call = microBatch<number, number>(
    async (items) => {
      batches.push(items)
      await new Promise<void>((resolve) => ends.push(resolve))
      return items.map((value) => ({ value }))
    },
    { limit: 10, parallel: 2, enough: 3 },
  )
  const calls = [0, 1, 2].map(call)
  expect(batches).toEqual([[0]])
  calls.push(...[3, 4, 5, 6, 7].map(call))
  expect(batches).toEqual([[0], [1, 2, 3]])
  ends[1]?.()
  await calls[1]
  // Two of the remaining items would not be enough; four are.
  expect(batches).toEqual([[0], [1, 2, 3], [4, 5, 6, 7]])
  ends[0]?.()
  ends[2]?.()
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})
