import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_accounts lists the addresses of the key store in its order', async () => {
  expect(await createTestNode().request('eth_accounts')).toEqual([toHex(ALICE), toHex(BOB)])
})
