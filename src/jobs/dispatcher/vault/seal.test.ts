import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSealed, seal, SealError, unseal } from './seal.ts'

const key = new Uint8Array(32).fill(7)

test('what is sealed opens again, with this key and at this place only', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), (plain, place) => {
      const sealed = seal(key, place, plain)
      expect(unseal(key, place, sealed)).toEqual(Buffer.from(plain))
      expect(() => unseal(key, `${place}x`, sealed)).toThrow(SealError)
      expect(() => unseal(new Uint8Array(32), place, sealed)).toThrow(SealError)
    }),
  )
})

test('no byte of it can be changed, and none is missing', () => {
  const sealed = seal(key, 'place', Buffer.from('a prompt'))
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => unseal(key, 'place', changed)).toThrow(SealError)
    expect(() => unseal(key, 'place', sealed.subarray(0, at))).toThrow(SealError)
  }
})

test('the same text is sealed differently each time, and is told from JSON', () => {
  const [a, b] = [seal(key, '', Buffer.from('{}')), seal(key, '', Buffer.from('{}'))]
  expect(a.equals(b)).toBe(false)
  expect([isSealed(a), isSealed(Buffer.from(`{"prompt":"${'x'.repeat(40)}"}`))]).toEqual([
    true,
    false,
  ])
})
