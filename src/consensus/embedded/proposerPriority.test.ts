import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Validator } from '../../proof/comet/types.ts'
import { sortValidators } from '../../proof/comet/validators.ts'
import { proposerOf, rotateProposer, totalPower } from './proposerPriority.ts'
import { updateValidators } from './state.ts'

const keyOf = (index: number) => new Uint8Array(32).fill(index + 1)
const update = (index: number, power: number) =>
  ({ type: 'ed25519', publicKey: keyOf(index), power: BigInt(power) }) as const

const powers = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 7 })
const genesisSet = (list: readonly number[]) =>
  rotateProposer(
    updateValidators(
      [],
      list.map((power, index) => update(index, power)),
    ),
  )

/** A second implementation, in the words of CometBFT's: numbers, changed in place. */
function plainRotation(entries: { address: string; power: number; priority: number }[]): string {
  const total = entries.reduce((sum, { power }) => sum + power, 0)
  const all = entries.map(({ priority }) => priority)
  const difference = Math.max(...all) - Math.min(...all)
  if (difference > 2 * total) {
    const ratio = Math.ceil(difference / (2 * total))
    for (const entry of entries) entry.priority = Math.trunc(entry.priority / ratio)
  }
  const average = Math.floor(
    entries.reduce((sum, { priority }) => sum + priority, 0) / entries.length,
  )
  for (const entry of entries) entry.priority += entry.power - average
  const [chosen] = entries.toSorted(
    (a, b) => b.priority - a.priority || (a.address < b.address ? -1 : 1),
  )
  if (chosen === undefined) throw new Error('empty set')
  chosen.priority -= total
  return chosen.address
}

const hexOf = ({ address }: Validator) => Buffer.from(address).toString('hex')
const plain = (set: readonly Validator[]) =>
  set.map((validator) => ({
    address: hexOf(validator),
    power: Number(validator.power),
    priority: Number(validator.proposerPriority),
  }))

test('rotation equals a plain implementation, whatever the powers and for as long as one looks', () => {
  fc.assert(
    fc.property(powers, fc.integer({ min: 1, max: 200 }), (list, heights) => {
      let set = genesisSet(list)
      const model = plain(set)
      for (let height = 0; height < heights; height++) {
        plainRotation(model)
        set = rotateProposer(set)
        expect(plain(set)).toEqual(model)
      }
    }),
  )
})

test('over as many heights as there is power, everybody proposes as often as their power says', () => {
  fc.assert(
    fc.property(powers, (list) => {
      let set = updateValidators(
        [],
        list.map((power, index) => update(index, power)),
      )
      const turns = new Map<string, number>()
      const total = Number(totalPower(set))
      for (let height = 0; height < total; height++) {
        const before = plain(set)
        const proposer = plainRotation(before)
        turns.set(proposer, (turns.get(proposer) ?? 0) + 1)
        set = rotateProposer(set)
      }
      for (const validator of set) expect(turns.get(hexOf(validator))).toBe(Number(validator.power))
    }),
  )
})

test('changes of the set keep order, window and average', () => {
  const change = fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 1000 }))
  fc.assert(
    fc.property(powers, fc.array(change, { maxLength: 12 }), (list, changes) => {
      let set = genesisSet(list)
      for (const [index, power] of changes) {
        const next = updateValidators(set, [update(index, power)])
        if (next.length === 0) return
        set = rotateProposer(next)
        expect(set.map(hexOf)).toEqual(sortValidators(set).map(hexOf))
        const priorities = set.map(({ proposerPriority }) => Number(proposerPriority))
        const spread = Math.max(...priorities) - Math.min(...priorities)
        expect(spread).toBeLessThanOrEqual(4 * Number(totalPower(set)))
        const sum = priorities.reduce((a, b) => a + b, 0)
        expect(Math.abs(sum)).toBeLessThan(set.length + 1)
      }
    }),
  )
})

test('who joins waits longest, and who stays keeps the turn', () => {
  const set = genesisSet([10, 10])
  const joined = updateValidators(set, [update(2, 10)])
  const newcomer = joined.toSorted((a, b) => Number(a.proposerPriority - b.proposerPriority))[0]
  expect(newcomer?.publicKey).toEqual(keyOf(2))
  expect(proposerOf(joined)?.publicKey).not.toEqual(keyOf(2))
})

test('a single validator is at priority 0 and the same object height after height', () => {
  const set = genesisSet([10])
  expect(set[0]?.proposerPriority).toBe(0n)
  expect(rotateProposer(set)).toBe(set)
})
