import { expect, test } from 'vitest'
import { BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'

test('debug_getModifiedAccountsByHash finds its blocks by hash', async () => {
  const node = createTestNode()
  const { hash } = node.chain.append([], { [toHexDigits(BOB)]: { balance: 1n } })
  const genesis = node.chain.header(0)?.hash ?? new Uint8Array(0)
  const ask = (...params: readonly string[]) =>
    node.request('debug_getModifiedAccountsByHash', ...params)
  expect(await ask(toHex(hash))).toEqual([toHex(BOB)])
  expect(await ask(toHex(genesis), toHex(hash))).toEqual([toHex(BOB)])
  const unknown = 'ee'.repeat(32)
  await expect(ask(`0x${unknown}`)).rejects.toThrow(`start block ${unknown} not found`)
})
