import { expect, test } from 'vitest'
import {
  at,
  LIGHT_OPTIONS,
  NOW_NS,
  providerOf,
  steadyChain,
} from '../../../../test/support/lightChain.ts'
import type { LightClient, Verified } from './client.ts'
import { LightError } from './errors.ts'
import { lightSession, type SessionOptions } from './session.ts'
import { signedBy } from './signers.ts'
import type { Provider } from './types.ts'

const chain = steadyChain(9)

/** A session from height 1, whose waits are counted and take no time. */
function sessionOf(primary: Provider, options: Partial<SessionOptions> = {}) {
  const client: LightClient = { ...LIGHT_OPTIONS, primary, witnesses: [], mode: 'skipping' }
  const told: Verified[] = []
  const slept: number[] = []
  const session = lightSession(client, at(chain, 1), {
    nowNs: () => NOW_NS,
    sleep: async (ms) => void slept.push(ms),
    onVerified: (verified) => told.push(verified),
    ...options,
  })
  return { session, told, slept }
}

/** A chain that grows by one block whenever its latest block is requested. */
function growing(from: number): Provider {
  let length = from
  return async (height) => {
    if (height === 'latest' || height <= length) return at(chain, Number(height))
    length++
    throw new LightError('tooHigh', `height ${height} is not there yet`)
  }
}

test('what was verified is where the next verification begins, and is not asked for again', async () => {
  const primary = providerOf(chain)
  const { session, told } = sessionOf(primary)
  expect(session.latestTrusted()).toBe(at(chain, 1))
  await session.verified(5)
  await session.verified(9)
  await session.verified(5)
  const traces = told.map(({ trace }) => trace.map(({ header }) => header.height))
  expect(traces).toEqual([[1, 5], [5, 9], [5]])
  expect(primary.asked).toEqual([5, 9])
  expect(session.latestTrusted()).toBe(at(chain, 9))
})

test('the block after a height is waited for', async () => {
  const { session, slept } = sessionOf(growing(4))
  expect(await session.verifiedAfter(6)).toBe(at(chain, 7))
  expect(slept).toHaveLength(3)
})

test('a chain that has stopped is given up after fifteen seconds', async () => {
  const { session, slept } = sessionOf(providerOf(chain))
  await expect(session.verifiedAfter(9)).rejects.toMatchObject({ code: 'tooHigh' })
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(15_000)
})

test('nothing else that goes wrong is waited for, and a wait can be ended', async () => {
  const failing = sessionOf(() => Promise.reject(new LightError('unavailable', 'pruned')))
  await expect(failing.session.verifiedAfter(2)).rejects.toThrow('pruned')
  expect(failing.slept).toEqual([])
  const ended = sessionOf(providerOf(chain), { sleep: () => Promise.reject(new Error('ended')) })
  await expect(ended.session.verifiedAfter(9)).rejects.toThrow('ended')
})

test('signatures for no block are not counted among those that signed it', () => {
  const block = at(chain, 2)
  expect(signedBy(block)).toBe('signed by 4 of 4 validators')
  const [first, ...others] = block.commit.signatures
  const signatures = [{ ...first!, blockIdFlag: 3 as const }, ...others]
  expect(signedBy({ ...block, commit: { ...block.commit, signatures } })).toBe(
    'signed by 3 of 4 validators',
  )
})
