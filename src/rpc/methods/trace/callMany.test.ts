import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { fromHex, toHex, toHexDigits } from '../../../base/hex.ts'

const COUNTER = fromHex('0x00000000000000000000000000000000000c0de5')

// SSTORE(0, SLOAD(0) + 1); MSTORE(0, SLOAD(0)); RETURN(0, 32)
const COUNTER_CODE = fromHex('0x5f546001015f555f545f5260205ff3')

test('trace_callMany runs each call on what the ones before left', async () => {
  const node = createTestNode({
    genesis: {
      [toHexDigits(ALICE)]: { balance: 10n ** 18n },
      [toHexDigits(COUNTER)]: { code: COUNTER_CODE, nonce: 1n },
    },
  })
  const count = { from: toHex(ALICE), to: toHex(COUNTER) }
  const pay = { from: toHex(ALICE), to: toHex(BOB), value: '0x5' }
  const answers = await node.request('trace_callMany', [
    [count, ['trace']],
    [pay, ['stateDiff']],
    [count, []],
  ])
  expect(answers).toMatchObject([
    { output: `0x${'0'.repeat(63)}1`, trace: [{ type: 'call' }], stateDiff: null },
    { output: '0x', trace: [], stateDiff: { [toHex(BOB)]: { balance: { '+': '0x5' } } } },
    { output: `0x${'0'.repeat(63)}2`, trace: [], stateDiff: null },
  ])
  expect(await node.request('eth_getStorageAt', toHex(COUNTER), '0x0')).toBe(`0x${'0'.repeat(64)}`)
})

test('no call at all is no answer, and too many are refused', async () => {
  const node = createTestNode()
  expect(await node.request('trace_callMany', [], 'latest')).toEqual([])
  const many = Array.from({ length: 1001 }, () => [{ to: toHex(BOB) }, []])
  await expect(node.request('trace_callMany', many)).rejects.toMatchObject({ code: -32602 })
})
