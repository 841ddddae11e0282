import fc from 'fast-check'
import { expect, test } from 'vitest'
import { optionalListenAddress, wholeUnits } from './types.ts'

test('an amount in whole units is exact to the last of 18 decimals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }), (amount) => {
      const digits = amount.toString().padStart(19, '0')
      const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`
      expect(wholeUnits.parse(text)).toBe(amount)
    }),
  )
  expect([1, '1', 0.5, 0].map((raw) => wholeUnits.parse(raw))).toEqual([
    10n ** 18n,
    10n ** 18n,
    5n * 10n ** 17n,
    0n,
  ])
})

test.each(['', '-1', '1e3', '0.1234567890123456789', 'ether', true, -1])(
  'the value %j is no amount',
  (raw) => {
    expect(() => wholeUnits.parse(raw)).toThrow('expected an amount in whole units')
  },
)

test('an address may be off', () => {
  expect(optionalListenAddress.parse('127.0.0.1:4000')).toEqual({ host: '127.0.0.1', port: 4000 })
  for (const text of ['off', '']) expect(optionalListenAddress.parse(text)).toBeUndefined()
  expect(() => optionalListenAddress.parse('on')).toThrow('or "off"')
})
