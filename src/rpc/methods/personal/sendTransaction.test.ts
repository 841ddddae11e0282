import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { fromHex, toHex } from '../../../base/hex.ts'

const transfer = { from: toHex(BOB), to: toHex(ALICE), value: '0x1' }

test('personal_sendTransaction | [call object, passphrase] | transaction hash', async () => {
  const node = createTestNode()
  const hash = String(await node.request('personal_sendTransaction', transfer, 'bob'))
  expect(node.pool.get(fromHex(hash))).toMatchObject({ sender: BOB, value: 1n, gasLimit: 90_000n })
})

test('personal_sendTransaction does not unlock the account', async () => {
  const node = createTestNode()
  await node.request('personal_sendTransaction', transfer, 'bob')
  await expect(node.request('eth_sendTransaction', transfer)).rejects.toMatchObject({
    code: -32000,
    message: 'authentication needed: password or unlock',
  })
})

test.each([
  [transfer, 'wrong', -32000, 'could not decrypt key with given password'],
  [{ ...transfer, from: `0x${'11'.repeat(20)}` }, 'bob', -32000, 'unknown account'],
  [{ to: toHex(ALICE) }, 'bob', -32602, expect.stringContaining('from')],
])('%j with passphrase %s is refused, and nothing is sent', async (call, pass, code, message) => {
  const node = createTestNode()
  await expect(node.request('personal_sendTransaction', call, pass)).rejects.toMatchObject({
    code,
    message,
  })
  expect(node.pool.counts()).toEqual({ pending: 0, queued: 0 })
})
