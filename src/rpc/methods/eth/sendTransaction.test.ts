import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode, type TestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits, tryFromHex } from '../../../base/hex.ts'
import type { Transaction } from '../../../chain/transaction.ts'

function richNode(): TestNode {
  return createTestNode({ genesis: { [toHexDigits(ALICE)]: { balance: 10n ** 21n } } })
}

const transfer = { from: toHex(ALICE), to: toHex(BOB), value: '0x1' }

async function send(node: TestNode, call: object): Promise<Transaction> {
  const hash = tryFromHex(String(await node.request('eth_sendTransaction', call)))
  const transaction = hash && node.pool.get(hash)
  if (!transaction) throw new Error('the pool has no such transaction')
  return transaction
}

test('what is left out gets the defaults: type 2, suggested fees, 90000 gas, pending nonce', async () => {
  const node = richNode()
  const tip = node.fees.suggestedTip()
  expect(await send(node, transfer)).toMatchObject({
    type: 2,
    nonce: 0n,
    gasLimit: 90_000n,
    maxPriorityFeePerGas: tip,
    maxFeePerGas: tip + 2n * node.fees.nextBaseFee(),
    sender: ALICE,
    chainId: 271_828n,
  })
})

test('a gas price makes a legacy transaction, with an access list type 1', async () => {
  const node = richNode()
  expect(await send(node, { ...transfer, gasPrice: '0x77359400' })).toMatchObject({ type: 0 })
  expect(await send(node, { ...transfer, gasPrice: '0x77359400', accessList: [] })).toMatchObject({
    type: 1,
  })
})

test('gas and gasLimit are the same, and a given one is kept', async () => {
  const node = richNode()
  expect(await send(node, { ...transfer, gasLimit: '0x5208' })).toMatchObject({ gasLimit: 21_000n })
  expect(await send(node, { ...transfer, gas: '0x5209' })).toMatchObject({ gasLimit: 21_001n })
})

test('where the estimate fails, 90000 gas is used and the transaction is sent', async () => {
  const poor = createTestNode()
  expect(await send(poor, { ...transfer, value: '0xde0b6b3a7640000' })).toMatchObject({
    gasLimit: 90_000n,
  })
})

// Holds D10.
test('an estimate above 90000 is used', async () => {
  // Init code that stores eight slots: CALLER into slots 0 to 7.
  const data = `0x${Array.from({ length: 8 }, (_, slot) => `3360${slot.toString().padStart(2, '0')}55`).join('')}`
  const { gasLimit } = await send(richNode(), { from: toHex(ALICE), data })
  expect(gasLimit).toBeGreaterThan(200_000n)
})

test('concurrent sends of one account get different nonces', async () => {
  const node = richNode()
  const sent = await Promise.all(Array.from({ length: 10 }, () => send(node, transfer)))
  expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(10)
})

test.each([
  [{ from: toHex(ALICE) }, 'contract creation without any data provided'],
  [{ ...transfer, gasPrice: '0x0' }, 'gasPrice must be non-zero after london fork'],
  [{ ...transfer, maxFeePerGas: '0x0' }, 'maxFeePerGas must be non-zero'],
  [
    { ...transfer, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
    'maxFeePerGas (1) < maxPriorityFeePerGas (2)',
  ],
  [{ ...transfer, chainId: '0x1' }, "chainId does not match node's (have=1, want=271828)"],
  [
    { ...transfer, gas: '0x5208', gasPrice: '0x3635c9adc5dea00000' },
    'tx fee (21000000.00 ether) exceeds the configured cap (1.00 ether)',
  ],
  [{ ...transfer, from: toHex(BOB) }, 'authentication needed: password or unlock'],
  [{ ...transfer, from: `0x${'11'.repeat(20)}` }, 'unknown account'],
])('%j is refused', async (call, message) => {
  await expect(richNode().request('eth_sendTransaction', call)).rejects.toMatchObject({
    code: -32000,
    message,
  })
})

// Holds D46.
test('a missing from is an invalid parameter', async () => {
  await expect(richNode().request('eth_sendTransaction', { to: toHex(BOB) })).rejects.toMatchObject(
    { code: -32602 },
  )
})
