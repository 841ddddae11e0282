import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rewardsAt } from './rewards.ts'

const receipts = [
  { effectiveGasPrice: 130n, gasUsed: 50n },
  { effectiveGasPrice: 110n, gasUsed: 25n },
  { effectiveGasPrice: 120n, gasUsed: 25n },
]

test('a tip counts as often as its transaction used gas', () => {
  const header = { baseFeePerGas: 100n, gasUsed: 100n }
  expect(rewardsAt(header, receipts, [0, 25, 26, 50, 51, 100])).toEqual([
    10n,
    10n,
    20n,
    20n,
    30n,
    30n,
  ])
})

test('an empty block pays nothing', () => {
  expect(rewardsAt({ baseFeePerGas: 100n, gasUsed: 0n }, [], [0, 50, 100])).toEqual([0n, 0n, 0n])
})

test('rewards of rising percentiles never fall', () => {
  const tip = fc.bigInt({ min: 0n, max: 1000n })
  const receipt = fc.record({ effectiveGasPrice: tip, gasUsed: fc.bigInt({ min: 1n, max: 1000n }) })
  fc.assert(
    fc.property(fc.array(receipt), (list) => {
      const gasUsed = list.reduce((sum, one) => sum + one.gasUsed, 0n)
      const rewards = rewardsAt({ baseFeePerGas: 0n, gasUsed }, list, [0, 10, 50, 90, 100])
      expect(
        rewards.every((reward, index) => index === 0 || reward >= (rewards[index - 1] ?? 0n)),
      ).toBe(true)
    }),
  )
})
