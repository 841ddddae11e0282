import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKvBatch, readKvBatch, type KvWrite } from './kvBatch.ts'

const write: fc.Arbitrary<KvWrite> = fc.record({
  table: fc.integer({ min: 0, max: 255 }),
  key: fc.uint8Array({ maxLength: 60 }),
  value: fc.option(fc.uint8Array({ maxLength: 5000 }), { nil: undefined }),
})

test('a batch gives back its writes in order', () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 60 }), (writes) => {
      const batch = createKvBatch()
      for (const { table, key, value } of writes)
        if (value === undefined) batch.remove(table, key)
        else batch.put(table, key, value)
      expect([...readKvBatch(batch.bytes())]).toEqual(writes)
    }),
  )
})

test('a value larger than the first buffer fits', () => {
  const batch = createKvBatch()
  const value = new Uint8Array(1 << 20).fill(5)
  batch.put(1, Uint8Array.of(1), value)
  batch.put(2, Uint8Array.of(2), new Uint8Array(0))
  expect([...readKvBatch(batch.bytes())].map((entry) => entry.value?.length)).toEqual([1 << 20, 0])
})
