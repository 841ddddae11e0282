import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../../base/hex.ts'
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

test.each<[string, (index: number) => string]>([
  ['accounts', (index) => `${index.toString(16).padStart(8, '0')}${'00'.repeat(16)}`],
  ['slots by number', (index) => `${'aa'.repeat(20)}${index.toString(16).padStart(64, '0')}`],
  [
    'slots aligned to the left',
    (index) => `${'aa'.repeat(20)}${index.toString(16).padStart(8, '0')}${'00'.repeat(28)}`,
  ],
  [
    'one slot of many accounts',
    (index) => `${index.toString(16).padStart(8, '0')}${'aa'.repeat(48)}`,
  ],
])('%s do not push each other out', (_name, keyOf) => {
  const cache = createBytesCache<number>(10_000_000)
  const keys = Array.from({ length: 2000 }, (_, index) => fromHex(keyOf(index)))
  for (const [index, key] of keys.entries()) cache.set(key, index, 0)
  const kept = keys.filter((key, index) => cache.get(key) === index)
  expect(kept.length).toBeGreaterThan(1990)
})
