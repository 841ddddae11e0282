import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'
import { keccak256 } from '../../../base/keccak.ts'

function nodeWithChanges() {
  const node = createTestNode({ genesis: { [toHexDigits(ALICE)]: { balance: 5n } } })
  node.chain.append([], { [toHexDigits(BOB)]: { balance: 1n } })
  node.chain.append([], { [toHexDigits(ALICE)]: { balance: 4n, nonce: 1n } })
  node.chain.append()
  return node
}

test('debug_getModifiedAccountsByNumber lists what changed, in the order of the trie', async () => {
  const node = nodeWithChanges()
  const ask = (...params: readonly number[]) =>
    node.request('debug_getModifiedAccountsByNumber', ...params)
  expect(await ask(1)).toEqual([toHex(BOB)])
  expect(await ask(2)).toEqual([toHex(ALICE)])
  expect(await ask(3)).toEqual([])
  const both = [ALICE, BOB].sort((a, b) => (toHex(keccak256(a)) < toHex(keccak256(b)) ? -1 : 1))
  expect(await ask(0, 3)).toEqual(both.map(toHex))
})

test('unknown blocks and empty ranges are refused in the words of go-ethereum', async () => {
  const node = nodeWithChanges()
  const ask = (...params: readonly number[]) =>
    node.request('debug_getModifiedAccountsByNumber', ...params)
  await expect(ask(17)).rejects.toThrow('start block 11 not found')
  await expect(ask(1, 17)).rejects.toThrow('end block 17 not found')
  await expect(ask(0)).rejects.toThrow('block 0 has no parent')
  await expect(ask(2, 2)).rejects.toThrow(
    'start block height (2) must be less than end block height (2)',
  )
})
