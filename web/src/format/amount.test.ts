import fc from 'fast-check'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { duration, parseAmount, parseRate, rate } from './amount.ts'
import { units } from './number.ts'

test('amounts are read exactly, as they are shown', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), (amount) => {
      expect(parseAmount(units(amount, 18))).toBe(amount)
    }),
  )
  expect(parseAmount(' 1.5 ')).toBe(parseEther('1.5'))
})

test('what is no amount is none', () => {
  for (const text of ['', '-1', '1.', '.5', '1e5', '0x1', '1.0000000000000000001', '9'.repeat(31)])
    expect(parseAmount(text), text).toBeUndefined()
})

test('rates are percents of at most a hundred', () => {
  expect([parseRate('5'), parseRate('5.25 %'), parseRate('0.5'), parseRate('100')]).toEqual([
    500n,
    525n,
    50n,
    10_000n,
  ])
  for (const text of ['', '101', '-1', '1.234', 'x']) expect(parseRate(text), text).toBeUndefined()
  expect([rate(500), rate(525), rate(50), rate(0), rate(10_000)]).toEqual([
    '5 %',
    '5.25 %',
    '0.5 %',
    '0 %',
    '100 %',
  ])
})

test('times are told in one unit', () => {
  expect([30, 600, 7200, 1_814_400].map(duration)).toEqual([
    '30 seconds',
    '10 minutes',
    '2 hours',
    '21 days',
  ])
})
