import { expect, test } from 'vitest'
import { createRecentRecords } from './recentRecords.ts'

test('records are kept up to their bytes, those asked for last the longest', () => {
  const reads: number[] = []
  const records = createRecentRecords(250, (height) => {
    reads.push(height)
    return height === 99 ? undefined : new Uint8Array(height === 50 ? 1000 : 100).fill(height)
  })
  for (const height of [1, 2, 1, 3, 1, 2]) expect(records.get(height)?.[0]).toBe(height)
  expect(reads).toEqual([1, 2, 3, 2])
  // A record larger than the whole cache is kept until the next one.
  for (const height of [50, 50, 1]) expect(records.get(height)?.[0]).toBe(height)
  expect(reads.slice(4)).toEqual([50, 1])
})

test('a record that is not there yet is asked for again', () => {
  let record: Uint8Array | undefined
  const records = createRecentRecords(100, () => record)
  expect(records.get(1)).toBeUndefined()
  record = Uint8Array.of(1)
  expect(records.get(1)).toBe(record)
})
