/** The staking part of genesis: its parameters, and the first validators as the first stakers. */
import { sha256 } from '@noble/hashes/sha2.js'
import { z } from 'zod'
import { bytesToBigint } from '../../base/bytes.ts'
import { toHexDigits, tryFromHex } from '../../base/hex.ts'
import { Staking } from '../../generated/contracts.ts'
import { MAX_POWER, type ValidatorPower } from './validatorSet.ts'
import { solidityStorage, type StorageValue } from './solidityStorage.ts'

/** Maximum number of validators in a set. The contract keeps twice as many candidates. */
export const MAX_VALIDATORS = 100

/** Basis points of the whole. */
const WHOLE = 10_000

/** Maximum fraction of the stake that an absence costs (D84), in basis points, as in the contract. */
export const MAX_ABSENCE_SLASH: number = WHOLE / 2

const amount = (maximum: bigint) =>
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,38})$/, 'expected a decimal integer in quotes')
    .transform(BigInt)
    .refine((value) => value <= maximum, `expected at most ${maximum}`)

const bytes = (size: number) =>
  z.string().transform((text, context) => {
    const value = tryFromHex(text)
    if (value?.length === size) return value
    context.addIssue({ code: 'custom', message: `expected 0x and ${2 * size} hex digits` })
    return z.NEVER
  })

const count = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum)
const rate = count(0, WHOLE)
const UINT32_MAX = 2 ** 32 - 1
const AMOUNT_MAX = (1n << 120n) - 1n

const validator = z
  .strictObject({
    public_key: bytes(32),
    operator: bytes(20),
    /** Receives the tips of its blocks, and its commission. */
    reward: bytes(20),
    stake: amount(AMOUNT_MAX),
    commission: rate,
    max_commission: rate,
    max_commission_change: rate,
  })
  .refine((value) => value.commission <= value.max_commission, 'commission is above its maximum')

/** `app_state.evm.staking`; times in seconds, rates and fractions in basis points, amounts in the smallest unit. */
export const stakingSchema = z
  .strictObject({
    power_unit: amount(AMOUNT_MAX).refine((value) => value > 0n, 'expected more than 0'),
    unbonding_time: count(1, UINT32_MAX),
    max_validators: count(1, MAX_VALIDATORS),
    signed_window: count(1, UINT32_MAX),
    max_missed: count(0, UINT32_MAX),
    jail_time: count(0, UINT32_MAX),
    double_sign_slash: rate,
    absence_slash: rate,
    inflation_per_second: amount(AMOUNT_MAX),
    /** Empty if `alloc` already holds the contract's state, as in an exported genesis. */
    validators: z.array(validator),
  })
  .superRefine((staking, context) => {
    const complain = (message: string) =>
      context.addIssue({ code: 'custom', path: ['validators'], message })
    const { validators } = staking
    if (validators.length > staking.max_validators) complain('more than max_validators')
    const distinct = (values: readonly Uint8Array[]) =>
      new Set(values.map(toHexDigits)).size === values.length
    if (!distinct(validators.map((each) => each.public_key))) complain('duplicate public_key')
    if (!distinct(validators.map((each) => each.operator))) complain('duplicate operator')
    for (const each of validators) {
      const power = each.stake / staking.power_unit
      if (power < 1n || power > MAX_POWER) complain(`expected a stake of 1 to 2^52 power units`)
    }
  })

export type StakingGenesis = z.output<typeof stakingSchema>

/** CometBFT's address of a key: the first 20 bytes of its SHA-256. */
function consensusAddress(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, 20)
}

/** The first validator set. */
export function genesisSet({ validators, power_unit }: StakingGenesis): readonly ValidatorPower[] {
  return validators.map(({ public_key, stake }) => ({
    publicKey: public_key,
    power: stake / power_unit,
  }))
}

/** All stake of genesis: the contract's required balance. */
export function genesisStake({ validators }: StakingGenesis): bigint {
  return validators.reduce((sum, { stake }) => sum + stake, 0n)
}

/** The contract's storage at genesis: each validator's stake is a delegation of its operator to itself. */
export function stakingStorage(staking: StakingGenesis): ReadonlyMap<string, Uint8Array> {
  const { validators } = staking
  const each = <T>(entry: (value: (typeof validators)[number], index: number) => T): readonly T[] =>
    validators.map(entry)
  const asMap = (
    key: (value: (typeof validators)[number]) => Uint8Array,
    value: (value: (typeof validators)[number], index: number) => StorageValue,
  ): StorageValue => new Map(each((entry, index) => [key(entry), value(entry, index)]))
  const operators = each(({ operator }) => bytesToBigint(operator))
  return solidityStorage(Staking.storageLayout, {
    rewardOf: asMap(
      ({ public_key }) => consensusAddress(public_key),
      ({ reward }) => bytesToBigint(reward),
    ),
    operatorOf: asMap(
      ({ public_key }) => consensusAddress(public_key),
      ({ operator }) => bytesToBigint(operator),
    ),
    parameters_: {
      powerUnit: staking.power_unit,
      unbondingTime: BigInt(staking.unbonding_time),
      jailTime: BigInt(staking.jail_time),
      maxValidators: BigInt(staking.max_validators),
      signedWindow: BigInt(staking.signed_window),
      maxMissed: BigInt(staking.max_missed),
      doubleSignSlash: BigInt(staking.double_sign_slash),
      absenceSlash: BigInt(staking.absence_slash),
    },
    totals_: {
      bonded: genesisStake(staking),
      power: genesisSet(staking).reduce((sum, { power }) => sum + power, 0n),
    },
    validators_: asMap(
      ({ operator }) => operator,
      (entry, index) => ({
        publicKey: bytesToBigint(entry.public_key),
        tokens: entry.stake,
        shares: entry.stake,
        power: entry.stake / staking.power_unit,
        place: BigInt(index + 1),
        commission: BigInt(entry.commission),
        maxCommission: BigInt(entry.max_commission),
        maxCommissionChange: BigInt(entry.max_commission_change),
      }),
    ),
    delegations_: asMap(
      ({ operator }) => operator,
      ({ operator, stake }) => new Map([[operator, { shares: stake }]]),
    ),
    candidates_: operators,
    set_: operators,
  })
}
