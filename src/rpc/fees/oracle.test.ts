import { expect, test } from 'vitest'
import { BASE_FEE, createMemoryChain, GENESIS_TIME_NS } from '../../../test/support/memoryChain.ts'
import { transactionByAlice } from '../../../test/support/rpcNode.ts'
import { createFeeOracle } from './oracle.ts'

const rules = {
  chainId: 271_828n,
  blockGasLimit: 30_000_000n,
  initialBaseFee: BASE_FEE,
  minBaseFee: 7n,
}
const nowNs = (): bigint => GENESIS_TIME_NS

test('the tip makes up for a minimum gas price, however far the base fee falls', () => {
  const chain = createMemoryChain()
  const oracle = createFeeOracle(chain, rules, { minGasPrice: 5n * BASE_FEE, nowNs })
  expect(oracle.suggestedTip() + rules.minBaseFee).toBe(5n * BASE_FEE)
})

test('tips of next to nothing do not count, and only the last twenty blocks do', () => {
  const chain = createMemoryChain()
  const oracle = createFeeOracle(chain, rules, { minGasPrice: 0n, nowNs })
  const floor = oracle.suggestedTip()
  chain.append([{ transaction: transactionByAlice({ maxPriorityFeePerGas: 1n }) }])
  expect(oracle.suggestedTip()).toBe(floor)
  chain.append([{ transaction: transactionByAlice({ maxPriorityFeePerGas: BASE_FEE }) }])
  expect(oracle.suggestedTip()).toBe(BASE_FEE)
  for (let block = 0; block < 19; block++) chain.append()
  expect(oracle.suggestedTip()).toBe(BASE_FEE)
  chain.append()
  expect(oracle.suggestedTip()).toBe(floor)
})
