import { expect, test } from 'vitest'
import { BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { createFakeClock } from '../../../../test/support/fakeClock.ts'
import { toHex } from '../../../base/hex.ts'

const bob = toHex(BOB)

function startNode() {
  const clock = createFakeClock(0n)
  const node = createTestNode({ clock })
  const isUnlocked = async (): Promise<boolean> => {
    try {
      await node.request('eth_sign', bob, '0x00')
      return true
    } catch {
      return false
    }
  }
  return { clock, node, isUnlocked }
}

test('account | locked | personal_unlockAccount | correct passphrase | unlocked | usable by eth_sign and eth_sendTransaction', async () => {
  const { node, isUnlocked } = startNode()
  expect(await isUnlocked()).toBe(false)
  expect(await node.request('personal_unlockAccount', bob, 'bob', 300)).toBe(true)
  expect(await isUnlocked()).toBe(true)
  const hash = await node.request('eth_sendTransaction', { from: bob, to: bob, gas: '0x5208' })
  expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
})

test.each([
  ['a JSON number', 10, 10],
  ['a QUANTITY', '0xa', 10],
  ['null', null, 300],
  ['nothing', undefined, 300],
])(
  'account | unlocked | unlock duration elapses | locked: %s (personal_unlockAccount default duration | 300 seconds; 0 means until the node exits)',
  async (_name, duration, seconds) => {
    const { clock, node, isUnlocked } = startNode()
    await node.request(
      'personal_unlockAccount',
      ...[bob, 'bob', duration].filter((p) => p !== undefined),
    )
    await clock.advance(seconds * 1000 - 1)
    expect(await isUnlocked()).toBe(true)
    await clock.advance(1)
    expect(await isUnlocked()).toBe(false)
  },
)

test.each([0, '0x0'])(
  'account | unlocked | duration given as zero (%s) | stays unlocked until the node process exits',
  async (zero) => {
    const { clock, node, isUnlocked } = startNode()
    await node.request('personal_unlockAccount', bob, 'bob', zero)
    await clock.advance(100 * 365 * 24 * 3600 * 1000)
    expect(await isUnlocked()).toBe(true)
    await node.request('personal_lockAccount', bob)
    expect(await isUnlocked()).toBe(false)
  },
)

test.each([
  [bob, 'wrong', 'could not decrypt key with given password'],
  [`0x${'11'.repeat(20)}`, 'bob', 'no key for given address or file'],
])('what cannot be unlocked is an error', async (address, passphrase, message) => {
  const node = createTestNode()
  await expect(
    node.request('personal_unlockAccount', address, passphrase, 1),
  ).rejects.toMatchObject({ code: -32000, message })
})

test.each([-1, '10', true, {}])('%j is no duration', async (duration) => {
  await expect(
    createTestNode().request('personal_unlockAccount', bob, 'bob', duration),
  ).rejects.toMatchObject({ code: -32602 })
})
