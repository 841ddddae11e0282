import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextBaseFee } from './fees.ts'

const SECOND = 1_000_000_000n
const LIMIT = 30_000_000n
const GWEI = 1_000_000_000n

const parent = (gasUsed: bigint, baseFeePerGas = GWEI) => ({
  gasUsed,
  baseFeePerGas,
  gasLimit: LIMIT,
})

test.each([
  ['at the target nothing changes', LIMIT / 2n, SECOND, GWEI],
  ['a full block raises by 12.5 % in a second', LIMIT, SECOND, (GWEI * 9n) / 8n],
  ['an empty block lowers by 12.5 % in a second', 0n, SECOND, (GWEI * 7n) / 8n],
  ['longer than a second counts as one', 0n, 60n * SECOND, (GWEI * 7n) / 8n],
  ['20 ms move it by a fiftieth of that', LIMIT, SECOND / 50n, GWEI + GWEI / 8n / 50n],
  ['the same time moves nothing', LIMIT, 0n, GWEI],
])('%s', (_, gasUsed, elapsed, expected) => {
  expect(nextBaseFee(parent(gasUsed), elapsed, 1n)).toBe(expected)
})

// Holds D18.
test('it never falls below the minimum and never moves by more than an eighth', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: LIMIT }),
      fc.bigInt({ min: 100n, max: 10n ** 15n }),
      fc.bigInt({ min: 0n, max: 10n * SECOND }),
      (gasUsed, baseFee, elapsed) => {
        const next = nextBaseFee(parent(gasUsed, baseFee), elapsed, 100n)
        expect(next >= 100n).toBe(true)
        expect(next <= baseFee + baseFee / 8n).toBe(true)
        expect(next >= baseFee - baseFee / 8n || next === 100n).toBe(true)
      },
    ),
  )
})
