/**
 * What the staking contract should do, in plain terms: income is divided among all delegations at each block, in fractions of
 * 2^-200, where the contract keeps sums that it divides later. Calls give the name of the error that they should revert with.
 */
import type { Hex } from '../../src/base/hex.ts'
import { account, RICH, UNIT } from './stakingRig.ts'

export const PRECISION = 200n
const WHOLE = 10_000n

export type ModelParameters = {
  readonly unbondingTime: bigint
  readonly jailTime: bigint
  readonly maxMissed: number
  readonly signedWindow: number
  readonly doubleSignSlash: bigint
  readonly absenceSlash: bigint
}

type Lock = { shares: bigint; readonly from: Hex; readonly at: number; readonly until: bigint }
type Stake = { shares: bigint; rewards: bigint; lock: Lock | undefined }
type Leaving = {
  readonly operator: Hex
  readonly at: number
  readonly amount: bigint
  readonly completesAt: bigint
}

export type ModelValidator = {
  tokens: bigint
  shares: bigint
  power: bigint
  /** Income of the operator, in fractions. */
  commissionOwed: bigint
  commission: bigint
  jailedUntil: bigint | undefined
  missed: number
  window: number
  punished: { readonly infraction: number; readonly at: number } | undefined
  readonly stakes: Map<Hex, Stake>
}

type Now = { readonly height: number; readonly timestamp: bigint }

/** The model of a chain whose first accounts operate validators of ten units, which is the state of `createStakingRig`. */
export function createStakingModel(validatorCount: number, parameters: ModelParameters) {
  const validators = new Map<Hex, ModelValidator>()
  const leaving = new Map<Hex, Leaving[]>()
  const balances = new Map<Hex, bigint>()
  const totals = { bonded: 0n, unbonding: 0n, unshared: 0n, paid: 0n, shared: 0n }

  function addValidator(operator: Hex, commission: bigint): ModelValidator {
    const validator: ModelValidator = {
      tokens: 0n,
      shares: 0n,
      power: 0n,
      commissionOwed: 0n,
      commission,
      jailedUntil: undefined,
      missed: 0,
      window: 0,
      punished: undefined,
      stakes: new Map(),
    }
    validators.set(operator, validator)
    return validator
  }

  const stakeOf = (validator: ModelValidator, delegator: Hex): Stake => {
    const known = validator.stakes.get(delegator)
    if (known !== undefined) return known
    const fresh: Stake = { shares: 0n, rewards: 0n, lock: undefined }
    validator.stakes.set(delegator, fresh)
    return fresh
  }

  const balanceOf = (address: Hex) => balances.get(address) ?? RICH
  const pay = (address: Hex, amount: bigint) => balances.set(address, balanceOf(address) + amount)

  for (let index = 0; index < validatorCount; index++) {
    const operator = account(index)
    const validator = addValidator(operator, 1_000n)
    putIn(validator, operator, 10n * UNIT)
    validator.power = 10n
    totals.bonded += 10n * UNIT
  }

  /** Shares for an amount, or the error. */
  function putIn(validator: ModelValidator, delegator: Hex, amount: bigint): string | bigint {
    if (validator.punished) return 'AlreadyTombstoned'
    if (validator.shares > 0n && validator.tokens === 0n) return 'WorthlessShares'
    const shares = validator.shares === 0n ? amount : (amount * validator.shares) / validator.tokens
    if (shares === 0n) return 'StakeTooSmall'
    stakeOf(validator, delegator).shares += shares
    validator.shares += shares
    validator.tokens += amount
    return shares
  }

  function lossOf(operator: Hex, leftAt: number, amount: bigint): bigint {
    const punished = validators.get(operator)?.punished
    const answers = punished && leftAt + 2 > punished.infraction && leftAt <= punished.at
    return answers ? (amount * parameters.doubleSignSlash) / WHOLE : 0n
  }

  function enforceLock(validator: ModelValidator, stake: Stake, now: Now): void {
    const { lock } = stake
    if (lock === undefined) return
    const lost = lossOf(lock.from, lock.at, lock.shares)
    if (lost > 0n) {
      const amount = (lost * validator.tokens) / validator.shares
      stake.shares -= lost
      validator.shares -= lost
      validator.tokens -= amount
      totals.bonded -= amount
      totals.unshared += amount
    } else if (now.timestamp < lock.until) return
    stake.lock = undefined
  }

  function takeOut(operator: Hex, delegator: Hex, shares: bigint, now: Now): string | bigint {
    const validator = validators.get(operator)
    if (validator === undefined) return 'UnknownValidator'
    const stake = stakeOf(validator, delegator)
    enforceLock(validator, stake, now)
    if (shares > stake.shares - (stake.lock?.shares ?? 0n)) return 'NotEnoughShares'
    if (shares === 0n) return 'StakeTooSmall'
    const amount = (shares * validator.tokens) / validator.shares
    stake.shares -= shares
    validator.shares -= shares
    validator.tokens -= amount
    return amount
  }

  function slash(validator: ModelValidator, fraction: bigint): void {
    const amount = (validator.tokens * fraction) / WHOLE
    validator.tokens -= amount
    totals.bonded -= amount
    totals.unshared += amount
  }

  function share(income: bigint): void {
    const power = [...validators.values()].reduce((sum, each) => sum + each.power, 0n)
    if (income === 0n || power === 0n) return
    totals.shared += income
    totals.unshared -= income
    for (const validator of validators.values()) {
      const own = ((income << PRECISION) * validator.power) / power
      const commission = validator.shares === 0n ? own : (own * validator.commission) / WHOLE
      validator.commissionOwed += commission
      for (const stake of validator.stakes.values())
        if (validator.shares > 0n)
          stake.rewards += ((own - commission) * stake.shares) / validator.shares
    }
  }

  /** Undoes what a failed call did: errors come after changes in some of them. */
  const wholeOrNot =
    <Arguments extends readonly unknown[]>(call: (...given: Arguments) => string | undefined) =>
    (...given: Arguments): string | undefined => {
      const before = structuredClone({ validators, leaving, balances, totals })
      const error = call(...given)
      if (error !== undefined) {
        for (const [map, old] of [
          [validators, before.validators],
          [leaving, before.leaving],
          [balances, before.balances],
        ] as const) {
          map.clear()
          for (const [key, value] of old) (map as Map<Hex, unknown>).set(key, value)
        }
        Object.assign(totals, before.totals)
      }
      return error
    }

  return {
    validators,
    leaving,
    totals,
    balanceOf,
    create: wholeOrNot((operator: Hex, stake: bigint) => {
      if (validators.has(operator)) return 'ValidatorExists'
      if (stake < UNIT) return 'StakeTooSmall'
      putIn(addValidator(operator, 500n), operator, stake)
      totals.bonded += stake
      pay(operator, -stake)
      return undefined
    }),
    delegate: wholeOrNot((delegator: Hex, operator: Hex, amount: bigint) => {
      const validator = validators.get(operator)
      if (validator === undefined) return 'UnknownValidator'
      const shares = putIn(validator, delegator, amount)
      if (typeof shares === 'string') return shares
      totals.bonded += amount
      pay(delegator, -amount)
      return undefined
    }),
    undelegate: wholeOrNot((delegator: Hex, operator: Hex, shares: bigint, now: Now) => {
      const amount = takeOut(operator, delegator, shares, now)
      if (typeof amount === 'string') return amount
      totals.bonded -= amount
      totals.unbonding += amount
      const entries = leaving.get(delegator) ?? []
      const completesAt = now.timestamp + parameters.unbondingTime
      entries.push({ operator, at: now.height, amount, completesAt })
      leaving.set(delegator, entries)
      return undefined
    }),
    redelegate: wholeOrNot((delegator: Hex, from: Hex, to: Hex, shares: bigint, now: Now) => {
      if (from === to) return 'SameValidator'
      const amount = takeOut(from, delegator, shares, now)
      if (typeof amount === 'string') return amount
      const validator = validators.get(to)
      if (validator === undefined) return 'UnknownValidator'
      const stake = stakeOf(validator, delegator)
      enforceLock(validator, stake, now)
      if (stake.lock !== undefined) return 'RedelegationPending'
      const received = putIn(validator, delegator, amount)
      if (typeof received === 'string') return received
      const until = now.timestamp + parameters.unbondingTime
      stake.lock = { shares: received, from, at: now.height, until }
      return undefined
    }),
    withdrawUnbonded: wholeOrNot((delegator: Hex, index: number, now: Now) => {
      const entries = leaving.get(delegator) ?? []
      const entry = entries[index]
      if (entry === undefined) return 'NoSuchUnbonding'
      if (now.timestamp < entry.completesAt) return 'StillUnbonding'
      const last = entries.pop()
      if (last !== undefined && last !== entry) entries[index] = last
      const lost = lossOf(entry.operator, entry.at, entry.amount)
      totals.unbonding -= entry.amount
      totals.unshared += lost
      pay(delegator, entry.amount - lost)
      return undefined
    }),
    /** Takes over what the contract paid: the test has compared it with `rewards` before. */
    withdraw(address: Hex, from: { rewards: bigint } | ModelValidator, amount: bigint): void {
      if ('rewards' in from) from.rewards -= amount << PRECISION
      else from.commissionOwed -= amount << PRECISION
      totals.paid += amount
      pay(address, amount)
    },
    setCommission(operator: Hex, commission: bigint): void {
      const validator = validators.get(operator)
      if (validator !== undefined) validator.commission = commission
    },
    enforce(delegator: Hex, operator: Hex, now: Now): void {
      const validator = validators.get(operator)
      if (validator !== undefined) enforceLock(validator, stakeOf(validator, delegator), now)
    },
    unjail: wholeOrNot((operator: Hex, now: Now) => {
      const validator = validators.get(operator)
      if (validator === undefined) return 'UnknownValidator'
      if (validator.punished) return 'AlreadyTombstoned'
      if (validator.jailedUntil === undefined) return 'NotJailed'
      if (now.timestamp < validator.jailedUntil) return 'StillJailed'
      validator.jailedUntil = undefined
      return undefined
    }),
    /** The end of a block; who is elected then is told by `elect`. */
    endBlock(
      income: bigint,
      absent: readonly Hex[],
      offences: readonly {
        readonly operator: Hex
        readonly height: number
        readonly time: bigint
      }[],
      now: Now,
    ): void {
      totals.unshared += income
      share(totals.unshared)
      for (const operator of absent) {
        const validator = validators.get(operator)
        if (!validator || validator.jailedUntil !== undefined || validator.power === 0n) continue
        const window = Math.floor(now.height / parameters.signedWindow)
        if (validator.window !== window) Object.assign(validator, { window, missed: 0 })
        validator.missed++
        if (validator.missed <= parameters.maxMissed) continue
        validator.missed = 0
        slash(validator, parameters.absenceSlash)
        validator.jailedUntil = now.timestamp + parameters.jailTime
      }
      for (const { operator, height, time } of offences) {
        const validator = validators.get(operator)
        if (!validator || validator.punished) continue
        if (now.timestamp > time + parameters.unbondingTime) continue
        validator.punished = { infraction: height, at: now.height }
        validator.jailedUntil = 2n ** 64n
        slash(validator, parameters.doubleSignSlash)
      }
    },
    /** Power that a validator would have in the set; 0 where it may not be elected. */
    powerOf(operator: Hex): bigint {
      const validator = validators.get(operator)
      if (!validator || validator.punished || validator.jailedUntil !== undefined) return 0n
      return validator.tokens / UNIT
    },
    elect(powers: ReadonlyMap<Hex, bigint>): void {
      for (const [operator, validator] of validators) validator.power = powers.get(operator) ?? 0n
    },
  }
}

export type StakingModel = ReturnType<typeof createStakingModel>
