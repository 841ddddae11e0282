import { expect, test } from 'vitest'
import type { ValidatorRow } from '../chain/validators.ts'
import { linesOf } from './lines.ts'
import { slashedSoFar, standingOf } from './standing.ts'
import { sharesFor } from './stake.ts'
import type { Parameters, Validator } from './types.ts'

const KEY_A = `0x${'aa'.repeat(32)}`
const KEY_B = `0x${'bb'.repeat(32)}`
const base64 = (hex: string): string => Buffer.from(hex.slice(2), 'hex').toString('base64')

const signer = (publicKey: string): ValidatorRow => ({
  address: 'AB',
  publicKey: base64(publicKey),
  power: 10n,
  votes: [],
  proposed: 0,
})
const validator = (changes: Partial<Validator>): Validator => ({
  operator: '0x01',
  publicKey: KEY_A,
  tokens: 100n,
  shares: 100n,
  power: 10n,
  commission: 500,
  maxCommission: 1000,
  maxCommissionChange: 100,
  isCandidate: true,
  isJailed: false,
  jailedUntil: 0n,
  isTombstoned: false,
  infractionHeight: 0,
  slashHeight: 0,
  ...changes,
})
const parameters: Parameters = {
  powerUnit: 10n ** 18n,
  unbondingTime: 1_814_400,
  jailTime: 600,
  maxValidators: 100,
  signedWindow: 1000,
  maxMissed: 500,
  doubleSignSlash: 500,
  absenceSlash: 1,
}

test('signers and validators of the contract meet by their keys, and nobody is lost', () => {
  const lines = linesOf(
    [signer(KEY_A)],
    [validator({ publicKey: KEY_B, power: 0n }), validator({})],
    [{ address: 'AB', publicKey: KEY_A, name: '<b>' }],
  )
  expect(lines.map(({ publicKey, name }) => [publicKey, name])).toEqual([
    [KEY_A, '<b>'],
    [KEY_B, ''],
  ])
  expect(lines[0]?.validator?.publicKey).toBe(KEY_A)
  expect(lines[1]?.signer).toBeUndefined()
  expect(linesOf([signer(KEY_A)], [], [])).toHaveLength(1)
})

test('a standing says what happened, and what comes', () => {
  const of = (changes: Partial<Validator>, now = 1_700_000_000) =>
    standingOf(validator(changes), parameters, now)
  expect(of({}).word).toBe('in the set')
  expect(of({ power: 0n }).word).toBe('waiting')
  expect(of({ power: 0n, isCandidate: false }).about).toContain('a stake of at least 1')
  const jailed = { isJailed: true, power: 0n, jailedUntil: 1_700_000_600n }
  expect(of(jailed).about).toContain('jailed at 2023-11-14 22:13:20 UTC for 10 minutes')
  expect(of(jailed).about).toContain('from 2023-11-14 22:23:20 UTC')
  expect(of(jailed, 1_700_000_600).about).toContain('can unjail it now')
  const out = of({ isTombstoned: true, isJailed: true, infractionHeight: 7, slashHeight: 9 })
  expect(out.about).toContain('height 7. At height 9 it was slashed by 5 %')
})

test('what was slashed is told by what a share is worth', () => {
  expect(slashedSoFar(validator({}))).toBeUndefined()
  expect(slashedSoFar(validator({ tokens: 95_000n, shares: 100_000n }))).toBe('5.0 %')
  expect(slashedSoFar(validator({ tokens: 0n, shares: 0n }))).toBeUndefined()
})

test('shares for an amount are worth at least that, and never more than there are', () => {
  const slashed = { shares: 1000n, amount: 900n }
  expect(sharesFor(90n, slashed)).toBe(100n)
  expect(sharesFor(1n, slashed)).toBe(2n)
  expect(sharesFor(900n, slashed)).toBe(1000n)
  expect(sharesFor(5000n, slashed)).toBe(1000n)
  expect(sharesFor(5n, { shares: 3n, amount: 0n })).toBe(3n)
})
