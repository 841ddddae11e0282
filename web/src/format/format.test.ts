import fc from 'fast-check'
import { formatUnits, getAddress } from 'viem'
import { expect, test } from 'vitest'
import { checksummed } from './checksum.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import { ago, gasPrice, percent, roughly, units } from './number.ts'
import { clip, lines, oneLine, shorten } from './text.ts'

test('amounts are exact', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n }),
      fc.nat({ max: 77 }),
      (amount, decimals) => {
        expect(units(amount, decimals).replaceAll(',', '')).toBe(formatUnits(amount, decimals))
      },
    ),
  )
  expect(units(-1_500_000n, 6)).toBe('−1.5')
  expect(units(1_234_567n, 0)).toBe('1,234,567')
  expect(gasPrice(100_000_000n)).toBe('0.1 gwei')
  expect(gasPrice(7n)).toBe('7 wei')
  expect(gasPrice(0n)).toBe('0 gwei')
  expect(percent(1, 0)).toBe('0 %')
  expect([roughly(0n, 18), roughly(1n, 18), roughly(1_234_567_899_999_999_999n, 18)]).toEqual([
    '0',
    '<0.000001',
    '1.234567',
  ])
  expect(roughly(5n, 0)).toBe('5')
  expect([ago(-3), ago(59), ago(61), ago(7200), ago(200_000)]).toEqual([
    '0 s ago',
    '59 s ago',
    '1 min ago',
    '2 h ago',
    '2 d ago',
  ])
})

test('addresses are spelt as others spell them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = bytesToHex(bytes)
      expect(checksummed(address)).toBe(getAddress(address))
      expect(hexToBytes(address)).toEqual(bytes)
    }),
  )
})

test('texts of strangers are short, on one line, and hide nothing', () => {
  expect(oneLine('a\u202eb\u0000c\nd\u200be\u2028f')).toBe(
    'a\\u{202e}b\\u{0}c\\u{a}d\\u{200b}e\\u{2028}f',
  )
  expect(lines('a\n\tb\u202e', 10)).toBe('a\n\tb\\u{202e}')
  expect(clip('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(10)}…`)
  expect(clip('ab😀', 3)).toBe('ab…')
  expect(shorten(`0x${'1234567890'.repeat(4)}`)).toBe('0x12345678…567890')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(oneLine(text, 100)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
    }),
  )
})
