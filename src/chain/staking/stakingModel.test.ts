import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createStakingModel,
  PRECISION,
  type StakingModel,
} from '../../../test/support/stakingModel.ts'
import {
  account,
  consensusOf,
  createStakingRig,
  RICH,
  UNIT,
  validatorKey,
  type StakingRig,
} from '../../../test/support/stakingRig.ts'
import { fromHex, toHex, type Hex } from '../../base/hex.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'

/** Sequences of steps; a long run takes hundreds. */
const RUNS = Number(process.env.ASSAY_STAKING_RUNS ?? 20)
const ACCOUNTS = 9
const GENESIS_VALIDATORS = 3
const MAX_VALIDATORS = 3
const PARAMETERS = {
  unbondingTime: 30n,
  jailTime: 5n,
  maxMissed: 1,
  signedWindow: 4,
  doubleSignSlash: 777n,
  absenceSlash: 13n,
}

/** One step: its kind, actor and target, and a number that it depends on. */
const KINDS = [
  'create',
  'delegate',
  'delegate',
  'undelegate',
  'undelegate',
  'redelegate',
  'redelegate',
  'withdrawUnbonded',
  'withdrawRewards',
  'withdrawCommission',
  'setCommission',
  'enforce',
  'unjail',
  'wait',
  'endBlock',
  'endBlock',
  'endBlock',
  'endBlock',
] as const

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    by: fc.integer({ min: 0, max: ACCOUNTS - 1 }),
    on: fc.integer({ min: 0, max: ACCOUNTS - 1 }),
    to: fc.integer({ min: 0, max: ACCOUNTS - 1 }),
    size: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 20n * UNIT), fc.constant(UNIT)),
    portion: fc.integer({ min: 0, max: 11 }),
    misses: fc.integer({ min: 0, max: 4 }),
  }),
  { minLength: 20, maxLength: 60 },
)
type Step = typeof steps extends fc.Arbitrary<readonly (infer T)[]> ? T : never

const addressOf = (text: string): Hex => text.toLowerCase() as Hex
const indexOf = (operator: Hex): number => fromHex(operator).at(-1) ?? 0

type World = {
  readonly rig: StakingRig
  readonly model: StakingModel
  /** The contract's count in `rewards`, which the model keeps as fractions. */
  income: bigint
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % from.length]

/** The parties of a step. Most steps select matching ones; the last portion selects at random. */
function partiesOf({ model }: World, { kind, by, on, to, portion }: Step) {
  const chance = { by: account(by), on: account(on), to: account(to) }
  if (portion === 11) return chance
  const operators = [...model.validators.keys()]
  const stakes = operators.flatMap((operator) =>
    [...(model.validators.get(operator)?.stakes ?? [])]
      .filter(([, stake]) => stake.shares > 0n)
      .map(([delegator]) => ({ by: delegator, on: operator })),
  )
  const target = { to: pick(operators, to) ?? chance.to }
  switch (kind) {
    case 'undelegate':
    case 'redelegate':
    case 'withdrawRewards':
    case 'enforce':
      return { ...chance, ...target, ...pick(stakes, by * ACCOUNTS + on) }
    case 'withdrawUnbonded': {
      const leaving = [...model.leaving].filter(([, entries]) => entries.length > 0)
      return { ...chance, by: pick(leaving, by)?.[0] ?? chance.by }
    }
    case 'delegate':
    case 'endBlock':
      return { ...chance, on: pick(operators, on) ?? chance.on }
    case 'unjail': {
      const jailed = operators.filter((each) => model.validators.get(each)?.jailedUntil)
      return { ...chance, by: pick(jailed, by) ?? chance.by }
    }
    default:
      return chance
  }
}

/** Some of a delegation's shares: all for 10, more than there are for 11. */
function sharesOf({ model }: World, by: Hex, on: Hex, portion: number): bigint {
  const shares = model.validators.get(on)?.stakes.get(by)?.shares ?? 0n
  return portion === 11 ? shares + 1n : (shares * BigInt(portion)) / 10n
}

/** The contract rounds each of its divisions: commission down, which leaves more to delegators. */
function expectRounded(actual: bigint, fractions: bigint): void {
  const exact = fractions >> PRECISION
  expect(actual).toBeLessThanOrEqual(exact + 200n)
  expect(actual).toBeGreaterThanOrEqual(exact - 200n)
}

async function endBlock(world: World, step: Step): Promise<void> {
  const { rig, model } = world
  const now = { height: rig.height(), timestamp: rig.timestamp() }
  const members = (await rig.read('validatorSet')).map(addressOf)
  const absent = members.filter((_, index) => step.misses === index + 1)
  const isOffence = step.portion < 4 && step.misses === 4
  const offence = {
    height: Math.max(1, now.height - step.to),
    time: now.timestamp - BigInt(step.to) * 5n,
  }
  const { on } = partiesOf(world, step)
  const offences = isOffence ? [{ operator: on, ...offence }] : []
  const updates = await rig.endBlock(
    step.size,
    absent.map((operator) => consensusOf(validatorKey(indexOf(operator)))),
    offences.map(({ operator, height, time }) => ({
      validator: fromHex(consensusOf(validatorKey(indexOf(operator)))),
      height,
      timeNs: time * 1_000_000_000n,
    })),
  )
  world.income += step.size
  model.endBlock(step.size, absent, offences, now)
  await checkElection(world, updates.length)
}

/** The set consists of the strongest candidates, and engines have exactly that set. */
async function checkElection({ rig, model }: World, updates: number): Promise<void> {
  const candidates = (await rig.read('candidates')).map(addressOf)
  expect(candidates.length).toBeLessThanOrEqual(2 * MAX_VALIDATORS)
  expect(new Set(candidates).size).toBe(candidates.length)
  for (const operator of candidates) expect(model.powerOf(operator)).toBeGreaterThan(0n)
  const set = (await rig.read('validatorSet')).map(addressOf)
  expect(set.length).toBeGreaterThan(0)
  const powers = new Map(set.map((operator) => [operator, model.powerOf(operator)]))
  if (candidates.length === 0) {
    // No candidate can be elected: the previous set keeps its power.
    for (const operator of set) powers.set(operator, model.validators.get(operator)?.power ?? 0n)
    expect(updates).toBe(0)
  } else {
    const stakes = (operators: readonly Hex[]) =>
      operators
        .map((operator) => model.validators.get(operator)?.tokens ?? 0n)
        .sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
    expect(stakes(set)).toEqual(stakes(candidates).slice(0, MAX_VALIDATORS))
  }
  model.elect(powers)
  const engine = rig.engineSet().map(({ publicKey, power }) => [toHex(publicKey), power] as const)
  expect(new Map(engine)).toEqual(
    new Map(set.map((operator) => [validatorKey(indexOf(operator)), powers.get(operator)])),
  )
}

async function take(world: World, step: Step): Promise<void> {
  const { rig, model } = world
  const { by, on, to } = partiesOf(world, step)
  const now = { height: rig.height(), timestamp: rig.timestamp() }
  const same = async (sent: ReturnType<StakingRig['send']>, expected: string | undefined) =>
    expect((await sent).error).toBe(expected)
  switch (step.kind) {
    case 'create': {
      const args = [validatorKey(indexOf(by)), by, 500, 10_000, 10_000]
      rig.prove(by, validatorKey(indexOf(by)))
      return same(rig.send(by, 'createValidator', args, step.size), model.create(by, step.size))
    }
    case 'delegate':
      return same(rig.send(by, 'delegate', [on], step.size), model.delegate(by, on, step.size))
    case 'undelegate': {
      const shares = sharesOf(world, by, on, step.portion)
      return same(rig.send(by, 'undelegate', [on, shares]), model.undelegate(by, on, shares, now))
    }
    case 'redelegate': {
      const shares = sharesOf(world, by, on, step.portion)
      const expected = model.redelegate(by, on, to, shares, now)
      return same(rig.send(by, 'redelegate', [on, to, shares]), expected)
    }
    case 'withdrawUnbonded': {
      const index = step.misses % (1 + (model.leaving.get(by)?.length ?? 0))
      const expected = model.withdrawUnbonded(by, index, now)
      return same(rig.send(by, 'withdrawUnbonded', [BigInt(index)]), expected)
    }
    case 'withdrawRewards': {
      const stake = model.validators.get(on)?.stakes.get(by)
      if (stake === undefined) return undefined
      const amount = await rig.read('rewardsOf', by, on)
      expectRounded(amount, stake.rewards)
      await same(
        rig.send(by, 'withdrawRewards', [on]),
        amount === 0n ? 'NothingToWithdraw' : undefined,
      )
      return model.withdraw(by, stake, amount)
    }
    case 'withdrawCommission': {
      const validator = model.validators.get(by)
      if (validator === undefined) return undefined
      const amount = await rig.read('commissionOf', by)
      expectRounded(amount, validator.commissionOwed)
      await same(
        rig.send(by, 'withdrawCommission', []),
        amount === 0n ? 'NothingToWithdraw' : undefined,
      )
      return model.withdraw(by, validator, amount)
    }
    case 'setCommission': {
      const { error } = await rig.send(by, 'setCommission', [step.portion * 900])
      if (error === undefined) model.setCommission(by, BigInt(step.portion * 900))
      return undefined
    }
    case 'enforce':
      if (!model.validators.has(on)) return undefined
      model.enforce(by, on, now)
      return same(rig.send(account(0), 'enforce', [by, on]), undefined)
    case 'unjail':
      return same(rig.send(by, 'unjail', []), model.unjail(by, now))
    case 'wait':
      return rig.wait(BigInt(step.portion) * 3n)
    case 'endBlock':
      return endBlock(world, step)
  }
}

/** Value is conserved: everything ever paid in is owed to an account, or waits to be distributed. */
async function checkInvariants({ rig, model, income }: World): Promise<void> {
  const { bonded, unbonding, rewards } = await rig.read('totals')
  const balance = rig.balance(toHex(STAKING_ADDRESS))
  expect(bonded).toBe(model.totals.bonded)
  expect(unbonding).toBe(model.totals.unbonding)
  expect(rewards).toBe(model.totals.shared - model.totals.paid)
  expect(balance).toBe(bonded + unbonding + rewards + model.totals.unshared)
  let wealth = balance
  for (let index = 0; index < ACCOUNTS; index++) {
    expect(rig.balance(account(index))).toBe(model.balanceOf(account(index)))
    wealth += rig.balance(account(index))
  }
  expect(wealth).toBe(BigInt(ACCOUNTS) * RICH + BigInt(GENESIS_VALIDATORS) * 10n * UNIT + income)

  let [tokens, claims] = [0n, 0n]
  for (const [operator, validator] of model.validators) {
    const stored = await rig.read('validatorOf', operator)
    expect([stored.tokens, stored.shares, stored.power]).toEqual([
      validator.tokens,
      validator.shares,
      validator.power,
    ])
    expect([stored.isJailed, stored.isTombstoned]).toEqual([
      validator.jailedUntil !== undefined,
      validator.punished !== undefined,
    ])
    tokens += stored.tokens
    claims += await rig.read('commissionOf', operator)
    let shares = 0n
    for (const [delegator, stake] of validator.stakes) {
      const delegation = await rig.read('delegationOf', delegator, operator)
      expect(delegation.shares).toBe(stake.shares)
      expect(delegation.lockedShares).toBe(stake.lock?.shares ?? 0n)
      shares += delegation.shares
      const owed = await rig.read('rewardsOf', delegator, operator)
      expectRounded(owed, stake.rewards)
      claims += owed
    }
    expect(shares).toBe(stored.shares)
  }
  expect(tokens).toBe(bonded)
  expect(claims).toBeLessThanOrEqual(rewards)
  // Remainders of divisions: a little for each.
  expect(rewards - claims).toBeLessThan(2_000n)
}

test(
  'any sequence of stake, rewards and punishment is what a plain model says, and no value comes or goes',
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const rig = createStakingRig(
          GENESIS_VALIDATORS,
          {
            max_validators: MAX_VALIDATORS,
            unbonding_time: Number(PARAMETERS.unbondingTime),
            jail_time: Number(PARAMETERS.jailTime),
            max_missed: PARAMETERS.maxMissed,
            signed_window: PARAMETERS.signedWindow,
            double_sign_slash: Number(PARAMETERS.doubleSignSlash),
            absence_slash: Number(PARAMETERS.absenceSlash),
          },
          ACCOUNTS,
        )
        const model = createStakingModel(GENESIS_VALIDATORS, PARAMETERS)
        const world: World = { rig, model, income: 0n }
        for (const step of sequence) {
          await take(world, step)
          await checkInvariants(world)
        }
      }),
      { numRuns: RUNS },
    )
  },
  60_000 + 5_000 * RUNS,
)
