import { expect, test } from 'vitest'
import { coverage, type Operator, type Registry } from './load.ts'

const operator = (start: number, end: number, isActive = true): Operator => ({
  address: '0x01',
  start,
  end,
  types: 1,
  stake: 0n,
  withdrawing: 0n,
  withdrawableAt: 0,
  isActive,
})
const registry = (...operators: readonly Operator[]): Registry => ({
  max: 100,
  stakePerUnit: 1n,
  delay: 1,
  total: operators.length,
  operators,
})

test('the covered share of the selection range counts overlaps once, and no operator whose stake is too low', () => {
  expect(coverage(registry())).toBe(0)
  expect(coverage(registry(operator(50, 100), operator(0, 60)))).toBe(1)
  expect(coverage(registry(operator(0, 50), operator(10, 20), operator(80, 90)))).toBe(0.6)
  expect(coverage(registry(operator(0, 50, false), operator(10, 20)))).toBe(0.1)
})
