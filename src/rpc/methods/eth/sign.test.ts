import { verifyMessage } from 'viem'
import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_sign signs bytes and text behind the prefix, so that libraries recover the signer', async () => {
  const node = createTestNode()
  const address = toHex(ALICE)
  const ofBytes = String(await node.request('eth_sign', address, '0xdeadbeef')) as `0x${string}`
  const ofText = String(await node.request('eth_sign', address, 'grüezi')) as `0x${string}`
  expect(await verifyMessage({ address, message: { raw: '0xdeadbeef' }, signature: ofBytes })).toBe(
    true,
  )
  expect(await verifyMessage({ address, message: 'grüezi', signature: ofText })).toBe(true)
})

// Holds D11.
test('eth_sign never signs a bare 32-byte hash', async () => {
  const address = toHex(ALICE)
  const hash = `0x${'11'.repeat(32)}` as const
  const signature = String(
    await createTestNode().request('eth_sign', address, hash),
  ) as `0x${string}`
  expect(await verifyMessage({ address, message: { raw: hash }, signature })).toBe(true)
})

test('eth_sign by a locked or unknown account is an error', async () => {
  const node = createTestNode()
  await expect(node.request('eth_sign', toHex(BOB), '0x00')).rejects.toMatchObject({
    code: -32000,
    message: 'authentication needed: password or unlock',
  })
  await expect(node.request('eth_sign', `0x${'11'.repeat(20)}`, '0x00')).rejects.toMatchObject({
    code: -32000,
    message: 'unknown account',
  })
})
