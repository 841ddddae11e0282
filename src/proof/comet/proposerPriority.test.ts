import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8 } from '../../base/bytes.ts'
import { rotateProposer } from './proposerPriority.ts'
import type { Validator } from './types.ts'
import { MAX_INT64, MAX_TOTAL_VOTING_POWER, MIN_INT64 } from './votingPower.ts'

function validator(name: string, power: bigint, proposerPriority = 0n): Validator {
  return { address: utf8(name), publicKey: new Uint8Array(32), power, proposerPriority }
}

const nameOf = ({ address }: Validator) => new TextDecoder().decode(address)

function turns(validators: readonly Validator[], count: number): readonly string[] {
  const names: string[] = []
  let current = validators
  for (let i = 0; i < count; i++) {
    const rotation = rotateProposer(current, 1)
    names.push(nameOf(rotation.proposer))
    current = rotation.validators
  }
  return names
}

/** The rule as specified, on a mutable list of plain records, not optimized for speed. */
function plainRotation(validators: readonly Validator[], times: number) {
  const list = validators.map(({ address, power, proposerPriority }) => ({
    name: nameOf({ address } as Validator),
    power,
    priority: proposerPriority,
  }))
  const limit = (value: bigint) => {
    if (value > MAX_INT64) return MAX_INT64
    return value < MIN_INT64 ? MIN_INT64 : value
  }
  let total = 0n
  for (const each of list) total += each.power
  const sorted = list.map((each) => each.priority).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const spread = (sorted.at(-1) ?? 0n) - (sorted[0] ?? 0n)
  if (total > 0n && spread > 2n * total) {
    let ratio = spread / (2n * total)
    if (spread % (2n * total) !== 0n) ratio++
    for (const each of list) each.priority /= ratio
  }
  let sum = 0n
  for (const each of list) sum += each.priority
  let average = sum / BigInt(list.length)
  if (sum < 0n && average * BigInt(list.length) !== sum) average--
  for (const each of list) each.priority = limit(each.priority - average)
  let proposer = ''
  for (let turn = 0; turn < times; turn++) {
    for (const each of list) each.priority = limit(each.priority + each.power)
    const [first] = [...list].sort((a, b) => {
      if (a.priority !== b.priority) return a.priority > b.priority ? -1 : 1
      return a.name < b.name ? -1 : 1
    })
    if (first === undefined) break
    first.priority = limit(first.priority - total)
    proposer = first.name
  }
  return { proposer, priorities: list.map((each) => each.priority) }
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const set = (power: fc.Arbitrary<bigint>, priority: fc.Arbitrary<bigint>) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), power, priority), {
      minLength: 1,
      selector: ([name]) => name,
    })
    .map((entries) => entries.map((entry) => validator(...entry)))

const SMALL = set(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: -500n, max: 500n }))
const LARGE = set(
  fc.bigInt({ min: 0n, max: MAX_TOTAL_VOTING_POWER / 7n }),
  fc.bigInt({ min: MIN_INT64 / 4n, max: MAX_INT64 / 4n }),
)

test('rotation equals the plain rule, for small and for the largest numbers', () => {
  fc.assert(
    fc.property(fc.oneof(SMALL, LARGE), fc.integer({ min: 1, max: 12 }), (validators, times) => {
      const { validators: after, proposer } = rotateProposer(validators, times)
      expect({
        proposer: nameOf(proposer),
        priorities: after.map(({ proposerPriority }) => proposerPriority),
      }).toEqual(plainRotation(validators, times))
    }),
    { numRuns: 500 },
  )
})

test('over as many turns as there is power, each proposes as often as it has power', () => {
  const powers = fc.array(fc.bigInt({ min: 1n, max: 12n }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(powers, (list) => {
      const validators = list.map((power, index) => validator(`v${index}`, power))
      const total = list.reduce((sum, power) => sum + power, 0n)
      const names = turns(validators, Number(total))
      for (const { address, power } of validators)
        expect(names.filter((name) => name === nameOf({ address } as Validator))).toHaveLength(
          Number(power),
        )
    }),
    { numRuns: 50 },
  )
})

test('of equal priorities the lower address is first', () => {
  expect(turns([validator('b', 1n), validator('a', 1n)], 4)).toEqual(['a', 'b', 'a', 'b'])
})

test('an empty set, no turn and too much power are refused', () => {
  expect(() => rotateProposer([], 1)).toThrow('empty')
  expect(() => rotateProposer([validator('a', 1n)], 0)).toThrow('no turn')
  expect(() => rotateProposer([validator('a', MAX_TOTAL_VOTING_POWER + 1n)], 1)).toThrow('above')
  expect(() => rotateProposer([validator('a', -1n)], 1)).toThrow('negative')
})
