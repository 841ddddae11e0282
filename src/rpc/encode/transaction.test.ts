import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryChain } from '../../../test/support/memoryChain.ts'
import { BOB, transactionByAlice } from '../../../test/support/rpcNode.ts'
import type { TransactionType } from '../../chain/unsignedTransaction.ts'
import { encodeTransaction, transactionShape } from './transaction.ts'

const authorization = {
  chainId: 271_828n,
  address: BOB,
  nonce: 0n,
  yParity: 1n,
  r: 0xabcn,
  s: 1n,
}

test('a set-code transaction shows its authorizations', () => {
  const transaction = transactionByAlice({ type: 4, authorizationList: [authorization] })
  expect(encodeTransaction(transaction, undefined)).toMatchObject({
    type: '0x4',
    authorizationList: [{ chainId: '0x425d4', nonce: '0x0', yParity: '0x1', r: '0xabc', s: '0x1' }],
  })
})

test('a legacy transaction has no typed fields, and no chain id from before EIP-155', () => {
  const legacy = { type: 0, maxPriorityFeePerGas: 3_000_000_000n } as const
  const wire = encodeTransaction(transactionByAlice(legacy), undefined)
  expect(wire).toMatchObject({ chainId: '0x425d4' })
  for (const key of ['accessList', 'yParity', 'maxFeePerGas', 'maxPriorityFeePerGas'])
    expect(wire).not.toHaveProperty(key)
  const old = encodeTransaction(transactionByAlice({ ...legacy, chainId: undefined }), undefined)
  expect(old).not.toHaveProperty('chainId')
})

const header = createMemoryChain().append()
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const bytes = (size: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: size, maxLength: size })

// Holds D5.
test('any transaction, pending or not, has the promised shape', () => {
  const fields = fc.record({
    type: fc.constantFrom<TransactionType[]>(0, 1, 2, 4),
    nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    maxFeePerGas: uint256,
    maxPriorityFeePerGas: uint256,
    value: uint256,
    to: bytes(20),
    data: fc.uint8Array(),
    accessList: fc.array(
      fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 2 }) }),
      { maxLength: 2 },
    ),
    authorizationList: fc.constantFrom([], [authorization]),
  })
  fc.assert(
    fc.property(fields, fc.boolean(), (given, isPending) => {
      const position = isPending ? undefined : { header, index: 3 }
      const wire = encodeTransaction(transactionByAlice(given), position)
      expect(transactionShape.safeParse(wire).error?.issues ?? []).toEqual([])
    }),
    { numRuns: 50 },
  )
})
