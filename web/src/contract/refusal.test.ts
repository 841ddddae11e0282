import { encodeErrorResult, type Abi } from 'viem'
import { beforeEach, expect, test, vi } from 'vitest'
import { OperatorRegistry, Staking } from '../../../src/generated/contracts.ts'
import { REGISTRY, STAKING } from '../chain/genesisAddresses.ts'
import { refusal } from './refusal.ts'

beforeEach(() => {
  // ABIs of genesis contracts come with the page, but a user's ABI takes precedence: none was given.
  vi.stubGlobal('localStorage', { getItem: () => null })
})

const STAKING_ABI: Abi = Staking.abi
const CONTRACTS: readonly (readonly [string, Abi])[] = [
  [STAKING, STAKING_ABI],
  [REGISTRY, OperatorRegistry.abi],
]

test('every error of the contracts is told in words', () => {
  for (const [address, abi] of CONTRACTS)
    for (const item of abi) {
      if (item.type !== 'error') continue
      const args = item.inputs.map(({ type }) =>
        type === 'address' ? address : type === 'bytes32' ? `0x${'ab'.repeat(32)}` : 86_400n,
      )
      const data = encodeErrorResult({ abi, errorName: item.name, args })
      const words = refusal(address, data, 'no words')
      expect(words, item.name).toMatch(/^[A-Z].*\.$/)
      expect(words, item.name).not.toContain(item.name)
    }
})

test('amounts and times stand in the sentence', () => {
  const of = (errorName: 'StakeTooSmall' | 'StillJailed', args: readonly bigint[]) =>
    refusal(STAKING, encodeErrorResult({ abi: STAKING_ABI, errorName, args }), '')
  expect(of('StakeTooSmall', [1n, 10n ** 18n])).toBe('At least 1 is required.')
  expect(of('StillJailed', [1_700_000_000n])).toContain('2023-11-14 22:13:20 UTC')
})

test('what no ABI knows is said as the node says it, harmlessly', () => {
  expect(refusal(STAKING, '0x12345678', 'no \u202efunds')).toBe('no \\u{202e}funds')
  expect(refusal(STAKING, '0x', '')).toBe('')
})
