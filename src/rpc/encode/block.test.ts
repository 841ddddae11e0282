import { expect, test } from 'vitest'
import { createMemoryChain } from '../../../test/support/memoryChain.ts'
import { transactionByAlice } from '../../../test/support/rpcNode.ts'
import { blockShape, encodeBlock, encodeHeader, headerShape } from './block.ts'

const chain = createMemoryChain()
const header = chain.append([{ transaction: transactionByAlice() }])
const transactions = chain.transactions(1) ?? []

test.each(['spec', 'ethereum'] as const)(
  'blocks and headers have the promised shape in profile %s',
  (profile) => {
    expect(headerShape.parse(encodeHeader(header, profile))).toEqual(encodeHeader(header, profile))
    for (const body of [transactions, transactions.map(({ hash }) => hash)]) {
      const block = encodeBlock(header, body, profile)
      expect(blockShape.parse(block)).toEqual(block)
    }
  },
)

// Holds D4.
test('profiles differ in the four proof-of-work fields and in nothing else', () => {
  const spec = encodeHeader(header, 'spec') as Record<string, unknown>
  const ethereum = encodeHeader(header, 'ethereum') as Record<string, unknown>
  const different = Object.keys(spec).filter((key) => spec[key] !== ethereum[key])
  expect(different).toEqual(['difficulty', 'nonce', 'sha3Uncles', 'totalDifficulty'])
})

test('a header has no body: no transactions, uncles or size', () => {
  for (const key of ['transactions', 'uncles', 'size'])
    expect(encodeHeader(header, 'spec')).not.toHaveProperty(key)
})
