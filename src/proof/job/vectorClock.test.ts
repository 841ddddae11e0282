import fc from 'fast-check'
import { expect, test } from 'vitest'
import { advanceClock, countOf, includesClock, mergeClocks } from './vectorClock.ts'

const clocks = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
  fc.bigInt({ min: 0n, max: 2n ** 60n }).map(String),
)

test('a merge is the pointwise maximum, whatever the order', () => {
  fc.assert(
    fc.property(clocks, clocks, (a, b) => {
      const merged = mergeClocks(a, b)
      for (const id of new Set([...Object.keys(a), ...Object.keys(b)])) {
        const [inA, inB] = [countOf(a, id), countOf(b, id)]
        expect(countOf(merged, id)).toBe(inA > inB ? inA : inB)
      }
      expect(includesClock(merged, a) && includesClock(merged, b)).toBe(true)
      expect(includesClock(mergeClocks(b, a), merged)).toBe(true)
    }),
  )
})

// Holds D28.
test('an event comes after everything it has seen, and its own participant counts one more', () => {
  fc.assert(
    fc.property(clocks, clocks, (own, seen) => {
      const next = advanceClock(own, 'me', seen)
      expect(includesClock(next, own) && includesClock(next, seen)).toBe(true)
      expect(includesClock(mergeClocks(own, seen), next)).toBe(false)
      expect(countOf(next, 'me')).toBe(countOf(mergeClocks(own, seen), 'me') + 1n)
    }),
  )
})

test('counts beyond the exact range of numbers stay exact', () => {
  expect(advanceClock({ a: '9007199254740993' }, 'a')).toEqual({ a: '9007199254740994' })
})
