import { expect, test } from 'vitest'
import { ALICE, BOB, CONTRACT, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'

test('eth_getCode is the code of a contract, and 0x for anything else', async () => {
  const node = createTestNode({
    genesis: {
      [toHexDigits(CONTRACT)]: { code: Uint8Array.of(0x60, 0x01) },
      [toHexDigits(ALICE)]: {},
    },
  })
  expect(await node.request('eth_getCode', toHex(CONTRACT), 'latest')).toBe('0x6001')
  expect(await node.request('eth_getCode', toHex(ALICE))).toBe('0x')
  expect(await node.request('eth_getCode', toHex(BOB))).toBe('0x')
})
