import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHexDigits } from '../../base/hex.ts'
import { createBytesCache } from './bytesCache.ts'

test('what the cache gives is always the last value that was set, and its size stays in bounds', () => {
  const steps = fc.array(
    fc.record({ key: fc.uint8Array({ maxLength: 2, max: 9 }), bytes: fc.option(fc.nat(600)) }),
    { maxLength: 300 },
  )
  fc.assert(
    fc.property(steps, (sequence) => {
      const cache = createBytesCache<number>(5000)
      const model = new Map<string, number>()
      for (const [index, { key, bytes }] of sequence.entries()) {
        const text = toHexDigits(key)
        if (bytes !== null) {
          cache.set(key, index, bytes)
          model.set(text, index)
        }
        const found = cache.get(key)
        if (found !== undefined || bytes !== null) expect(found).toBe(model.get(text))
        expect(cache.stats().bytes).toBeLessThanOrEqual(5000 + 2 * 880)
      }
      const { hits, misses } = cache.stats()
      expect(hits + misses).toBe(sequence.length)
    }),
  )
})

test('a key that is written to after it was set leaves the cache as it was', () => {
  const cache = createBytesCache<string>(5000)
  const key = Uint8Array.of(1, 2, 3)
  cache.set(key, 'a', 10)
  key[0] = 9
  expect(cache.get(key)).toBeUndefined()
  expect(cache.get(Uint8Array.of(1, 2, 3))).toBe('a')
})
