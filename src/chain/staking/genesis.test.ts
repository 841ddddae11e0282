import { expect, test } from 'vitest'
import { concatAll, utf8 } from '../../base/bytes.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { defaultAppState } from '../defaultGenesis.ts'
import { parseGenesis } from '../genesis.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { stakingSchema, stakingStorage } from './genesis.ts'

const filled = (byte: number, size: number) => toHex(new Uint8Array(size).fill(byte))

const STAKING = {
  power_unit: '1000000000000000000',
  unbonding_time: 100,
  max_validators: 3,
  signed_window: 1000,
  max_missed: 500,
  jail_time: 600,
  double_sign_slash: 500,
  absence_slash: 10_000,
  inflation_per_second: '0',
  validators: [1, 2].map((byte) => ({
    public_key: filled(byte, 32),
    operator: filled(byte + 10, 20),
    reward: filled(byte + 20, 20),
    stake: '10000000000000000000',
    commission: 1,
    max_commission: 2,
    max_commission_change: 3,
  })),
}

// Holds D83.
test('chains of older versions begin with the same state: every variable is where it was', () => {
  const slots = [...stakingStorage(stakingSchema.parse(STAKING))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const bytes = slots.flatMap(([slot, value]) => [utf8(slot), value])
  expect(slots).toHaveLength(24)
  // As it was before proofs of keys.
  expect(toHex(sha256(concatAll(bytes)))).toBe(
    '0xaf2c21ef9afc0046d9e4a08d55b00fbac8cda033c62c8946510d56dae6611fc2',
  )
})

/** A genesis whose staking contract has this code. */
function genesisWith(absenceSlash: number, code?: `0x${string}`): Uint8Array {
  const { evm } = defaultAppState({
    accounts: [],
    validators: [{ publicKey: fromHex(filled(1, 32)), rewardAddress: fromHex(filled(2, 20)) }],
    staking: { absence_slash: absenceSlash },
  })
  const address = toHex(STAKING_ADDRESS)
  const contract = { balance: '0', nonce: '1', code: code ?? evm.alloc[address]?.code }
  return utf8(JSON.stringify({ evm: { ...evm, alloc: { ...evm.alloc, [address]: contract } } }))
}

// Holds D84.
test('a new chain takes half of the stake at most for an absence; an older one keeps what it began with', () => {
  const parse = (text: Uint8Array) => parseGenesis('assay_271828-1', text)
  expect(() => parse(genesisWith(5_001))).toThrow(
    'app_state.evm.staking.absence_slash: expected at most 5000',
  )
  expect(parse(genesisWith(5_000)).staking).toBeDefined()
  expect(parse(genesisWith(10_000, '0x5f5ffd')).staking).toBeDefined()
})
