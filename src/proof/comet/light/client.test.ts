import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  at,
  LIGHT_OPTIONS,
  lightChain,
  NOW_NS,
  providerOf,
  SECOND_NS,
  steadyChain,
  type Powers,
} from '../../../../test/support/lightChain.ts'
import { sha256 } from '../../../base/sha256.ts'
import { validatorsHash } from '../validators.ts'
import { beginTrust, verifyHeight, type LightClient } from './client.ts'
import { beginAtGenesis } from './genesis.ts'
import { addTrusted, pruneTrusted, trustedUpTo } from './store.ts'
import type { LightBlock, Provider } from './types.ts'

function clientOf(primary: Provider, change: Partial<LightClient> = {}): LightClient {
  return { ...LIGHT_OPTIONS, primary, witnesses: [], mode: 'skipping', ...change }
}

const heightsOf = (blocks: readonly LightBlock[]) => blocks.map(({ header }) => header.height)

test('with the same validators one step reaches any height', async () => {
  const chain = steadyChain(40)
  const primary = providerOf(chain)
  const verified = await verifyHeight(clientOf(primary), [at(chain, 1)], 40, NOW_NS)
  expect(heightsOf(verified.trace)).toEqual([1, 40])
  expect(primary.asked).toEqual([40])
  expect(heightsOf(verified.trusted)).toEqual([1, 40])
})

test('sequential verification passes every height', async () => {
  const chain = steadyChain(8)
  const client = clientOf(providerOf(chain), { mode: 'sequential' })
  const { trace } = await verifyHeight(client, [at(chain, 1)], 8, NOW_NS)
  expect(heightsOf(trace)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('when each height has other validators, bisection verifies every one of them', async () => {
  const chain = lightChain({ sets: Array.from({ length: 12 }, (_, i) => ({ [`v${i}`]: 1n })) })
  const { trace } = await verifyHeight(clientOf(providerOf(chain)), [at(chain, 1)], 12, NOW_NS)
  expect(trace).toHaveLength(12)
})

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const POWERS: fc.Arbitrary<Powers> = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.bigInt({ min: 1n, max: 20n }),
  { minKeys: 1, maxKeys: 4 },
)

test('skipping agrees with sequential verification on every honest chain', async () => {
  const property = fc.asyncProperty(
    fc.array(POWERS, { minLength: 2, maxLength: 10 }),
    async (sets) => {
      const chain = lightChain({ sets })
      for (const mode of ['skipping', 'sequential'] as const) {
        const client = clientOf(providerOf(chain), { mode })
        const { block, trace } = await verifyHeight(client, [at(chain, 1)], sets.length, NOW_NS)
        expect(block).toBe(chain.at(-1))
        expect(heightsOf(trace)).toEqual(heightsOf(trace).toSorted((a, b) => a - b))
      }
    },
  )
  await fc.assert(property, { numRuns: 30 })
})

test('no way of skipping ends at a block that the real validators did not sign', async () => {
  const property = fc.asyncProperty(
    fc.array(POWERS, { minLength: 3, maxLength: 8 }),
    fc.nat(),
    async (sets, seed) => {
      const chain = lightChain({ sets })
      const forgedFrom = 2 + (seed % (sets.length - 1))
      const forged = lightChain({
        sets: sets.map((powers, index) => (index + 1 < forgedFrom ? powers : { thief: 100n })),
      })
      // Honest up to the fork, where the real header announces validators other than the thief's.
      const shown = [...chain.slice(0, forgedFrom - 1), ...forged.slice(forgedFrom - 1)]
      const client = clientOf(providerOf(shown))
      await expect(verifyHeight(client, [at(chain, 1)], sets.length, NOW_NS)).rejects.toMatchObject(
        {
          name: 'LightError',
        },
      )
    },
  )
  await fc.assert(property, { numRuns: 30 })
})

test('earlier heights are verified along the hashes, however old the trusted header is', async () => {
  const chain = steadyChain(9)
  const late = NOW_NS + 10n * LIGHT_OPTIONS.trustingPeriodNs
  const verified = await verifyHeight(clientOf(providerOf(chain)), [at(chain, 9)], 4, late)
  expect(heightsOf(verified.trace)).toEqual([9, 8, 7, 6, 5, 4])
  expect(heightsOf(verified.trusted)).toEqual([4, 9])
  const fork = lightChain({
    sets: chain.map(() => ({ a: 1n })),
    app: (height) => (height < 6 ? 'other' : 'state'),
  })
  const shown = [...fork.slice(0, 5), ...chain.slice(5)]
  const lying = verifyHeight(clientOf(providerOf(shown)), [at(chain, 9)], 4, late)
  await expect(lying).rejects.toThrow('does not hash to')
})

test('between trusted heights the nearest one below is where verification begins', async () => {
  const chain = steadyChain(9)
  const trusted = [at(chain, 2), at(chain, 5), at(chain, 9)]
  const verified = await verifyHeight(clientOf(providerOf(chain)), trusted, 7, NOW_NS)
  expect(heightsOf(verified.trace)).toEqual([5, 7])
})

test('a known height and an unchanged latest one cost no verification', async () => {
  const chain = steadyChain(5)
  const primary = providerOf(chain)
  const client = clientOf(primary)
  expect((await verifyHeight(client, [at(chain, 5)], 5, NOW_NS)).block).toBe(at(chain, 5))
  expect(primary.asked).toEqual([])
  expect((await verifyHeight(client, [at(chain, 5)], 'latest', NOW_NS)).trace).toHaveLength(1)
})

test('trust begins only with the header whose hash is known, and signed', async () => {
  const chain = steadyChain(3)
  const client = clientOf(providerOf(chain))
  const { hash } = at(chain, 2).commit.blockId
  expect(await beginTrust(client, 2, hash)).toBe(at(chain, 2))
  await expect(beginTrust(client, 3, hash)).rejects.toThrow('not to the trusted')
  const unsigned = lightChain({ sets: [{ a: 1n, b: 1n }], signing: [['a']] })
  const { hash: unsignedHash } = at(unsigned, 1).commit.blockId
  const poor = beginTrust(clientOf(providerOf(unsigned)), 1, unsignedHash)
  await expect(poor).rejects.toThrow('not above 2/3')
})

test('trust begins at a genesis with its validators, its time and its chain', async () => {
  const chain = steadyChain(2)
  const { header, validators } = at(chain, 1)
  const genesis = { chainId: 'light-1', initialHeight: 1, timeNs: header.timeNs, validators }
  const primary = providerOf(chain)
  expect(await beginAtGenesis(LIGHT_OPTIONS, primary, genesis)).toBe(at(chain, 1))
  for (const change of [
    { chainId: 'light-2' },
    { timeNs: header.timeNs + 1n },
    { validators: validators.slice(1) },
    { initialHeight: 2 },
  ])
    await expect(
      beginAtGenesis(LIGHT_OPTIONS, primary, { ...genesis, ...change }),
    ).rejects.toMatchObject({ code: 'invalid' })
})

test('a provider that answers another height is refused, and so is an expired start', async () => {
  const chain = steadyChain(4)
  const wrong: Provider = async () => at(chain, 3)
  await expect(verifyHeight(clientOf(wrong), [at(chain, 1)], 4, NOW_NS)).rejects.toMatchObject({
    code: 'malformed',
  })
  const client = clientOf(providerOf(chain), { trustingPeriodNs: SECOND_NS })
  await expect(verifyHeight(client, [at(chain, 1)], 4, NOW_NS)).rejects.toMatchObject({
    code: 'expired',
  })
  await expect(verifyHeight(client, [], 4, NOW_NS)).rejects.toThrow(RangeError)
})

test('the store keeps one block for each height, in order', () => {
  const chain = steadyChain(5)
  const other = steadyChain(5, { z: 1n })
  const store = addTrusted([at(chain, 4)], [at(chain, 2), at(other, 4)])
  expect(heightsOf(store)).toEqual([2, 4])
  expect(store[1]?.header.validatorsHash).toEqual(validatorsHash(sha256, at(other, 4).validators))
  expect(trustedUpTo(store, 3)?.header.height).toBe(2)
  expect(trustedUpTo(store, 1)).toBeUndefined()
  expect(heightsOf(pruneTrusted(store, 1))).toEqual([4])
})
