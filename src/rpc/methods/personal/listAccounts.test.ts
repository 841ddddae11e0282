import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('personal_listAccounts | none | array of addresses managed by the node', async () => {
  expect(await createTestNode().request('personal_listAccounts')).toEqual([
    toHex(ALICE),
    toHex(BOB),
  ])
})
