import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../test/support/rpcNode.ts'
import { toHexDigits } from '../../base/hex.ts'
import { modifiedAccounts } from './modifiedAccounts.ts'
import type { ExecutionWorld } from './world.ts'

test('a state of too many accounts, and an answer of too many, are refused', () => {
  const { chain } = createTestNode({ genesis: { [toHexDigits(ALICE)]: { balance: 5n } } })
  chain.append([], { [toHexDigits(BOB)]: { balance: 1n }, [toHexDigits(ALICE)]: { balance: 4n } })
  const world = { chain, timeoutMs: 5000 } as unknown as ExecutionWorld
  const range = { first: 0, last: 1 }
  expect(modifiedAccounts(world, range, 2).addresses).toHaveLength(2)
  for (const most of [0, 1])
    expect(() => modifiedAccounts(world, range, most)).toThrow(`more than ${most} accounts`)
})
