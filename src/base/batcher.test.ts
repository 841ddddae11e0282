import { expect, test } from 'vitest'
import { createBatcher } from './batcher.ts'

// Holds D133.
test('keys that come during a lookup go together with the next', async () => {
  const lookups: (readonly number[])[] = []
  const batcher = createBatcher(async (keys: readonly number[]) => {
    lookups.push(keys)
    await Promise.resolve()
    return new Map(keys.filter((key) => key !== 4).map((key) => [key, `${key}`]))
  }, 2)
  const found = await Promise.all([1, 2, 3, 4, 2].map((key) => batcher.find(key)))
  expect(found).toEqual(['1', '2', '3', undefined, '2'])
  expect(lookups).toEqual([[1], [2, 3], [4]])
})

test('a lookup that fails rejects its own keys, and the next is not harmed', async () => {
  const batcher = createBatcher(async (keys: readonly string[]) => {
    if (keys.includes('bad')) throw new Error('no')
    return new Map(keys.map((key) => [key, key]))
  }, 10)
  const [bad, good] = [batcher.find('bad'), batcher.find('good')]
  await expect(bad).rejects.toThrow('no')
  expect(await good).toBe('good')
  expect(await batcher.find('later')).toBe('later')
})
