import { expect, test } from 'vitest'
import { CONTRACT, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'

const SLOT = '0'.repeat(62) + '0a'
const node = createTestNode({
  genesis: { [toHexDigits(CONTRACT)]: { storage: { [SLOT]: new Uint8Array(32).fill(7) } } },
})

// Holds D9.
test.each([10, '0xa', '0x0a', `0x${SLOT}`])(
  'eth_getStorageAt reads position %s',
  async (position) => {
    expect(await node.request('eth_getStorageAt', toHex(CONTRACT), position, 'latest')).toBe(
      `0x${'07'.repeat(32)}`,
    )
  },
)

test('eth_getStorageAt answers 32 zero bytes for a slot that was never written', async () => {
  expect(await node.request('eth_getStorageAt', toHex(CONTRACT), '0x0')).toBe(
    `0x${'00'.repeat(32)}`,
  )
})

test('eth_getStorageAt refuses bad positions in the words of go-ethereum', async () => {
  const long = `0x${'0'.repeat(65)}`
  await expect(node.request('eth_getStorageAt', toHex(CONTRACT), '0xasdf')).rejects.toMatchObject({
    code: -32602,
    message: 'invalid hex in storage key: "0xasdf"',
  })
  await expect(node.request('eth_getStorageAt', toHex(CONTRACT), long)).rejects.toMatchObject({
    code: -32602,
    message: `storage key too long (want at most 32 bytes): "${long}"`,
  })
})
