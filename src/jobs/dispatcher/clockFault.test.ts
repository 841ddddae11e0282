import { expect, test } from 'vitest'
import { MAX_COUNT } from '../../proof/job/vectorClock.ts'
import { clockFault } from './clockFault.ts'

const handed = { d: '5', a: '2' }
const fault = (clock: Record<string, string>, seen: Record<string, bigint> = {}) =>
  clockFault(clock, { operator: 'me', clock: handed }, new Map(Object.entries(seen)))

// Holds D73.
test('the clock of the hand-out with the own events counted on is sound, up to the greatest count', () => {
  expect(fault({ ...handed, me: '1' })).toBeUndefined()
  expect(fault({ ...handed, me: String(MAX_COUNT) })).toBeUndefined()
  expect(fault({ ...handed, me: String(MAX_COUNT + 1n) })).toMatch(/counts more than/)
})

test('an operator of a former release may know what was handed out elsewhere, and nothing beyond', () => {
  const seen = { d: 9n, b: 3n }
  expect(fault({ d: '9', a: '2', b: '3', me: '1' }, seen)).toBeUndefined()
  expect(fault({ d: '10', a: '2', me: '1' }, seen)).toMatch(/more events of a participant/)
  expect(fault({ ...handed, b: '4', me: '1' }, seen)).toMatch(/more events of a participant/)
  expect(fault({ ...handed, c: '1', me: '1' }, seen)).toMatch(/did not hand out/)
})

test('a clock that lacks something of the hand-out, or the own event, is refused', () => {
  expect(fault({ d: '5', me: '1' })).toMatch(/behind/)
  expect(fault(handed)).toMatch(/own event/)
  expect(
    clockFault({ d: '5', me: '4' }, { operator: 'me', clock: { me: '4' } }, new Map()),
  ).toMatch(/own event/)
})
