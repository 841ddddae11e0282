import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryChain } from '../../../test/support/memoryChain.ts'
import { toHex } from '../../base/hex.ts'
import { acceptOf } from '../../wire/accept.ts'
import { block, blockNumber, findHeight, requireHeader } from './selector.ts'

const chain = createMemoryChain()
const { hash } = chain.append()
chain.append()

test.each([
  [undefined, 2],
  [null, 2],
  ['latest', 2],
  ['pending', 2],
  ['safe', 2],
  ['finalized', 2],
  ['earliest', 0],
  ['0x0', 0],
  ['0x1', 1],
  [toHex(hash), 1],
  [{ blockNumber: '0x1' }, 1],
  [{ blockNumber: 'earliest' }, 0],
  [{ blockHash: toHex(hash), requireCanonical: true }, 1],
])('%j names height %i', (given, height) => {
  expect(findHeight(chain, block.parse(given))).toBe(height)
})

test.each([
  [1, 'number'],
  ['newest', 'hex string without 0x prefix'],
  ['0x', 'hex string "0x"'],
  ['0x01', 'hex number with leading zero digits'],
  ['0xffffffffffffffffff', 'block number larger than int64'],
  [{}, 'must specify either BlockHash or BlockNumber'],
  [
    { blockNumber: '0x1', blockHash: toHex(hash) },
    'cannot specify both BlockHash and BlockNumber, choose one or the other',
  ],
])('%j is refused', (given, message) => {
  expect(block.safeParse(given).error?.issues[0]?.message).toContain(message)
})

test('a hash or object is no block number', () => {
  expect(blockNumber.safeParse(toHex(hash)).success).toBe(false)
  expect(blockNumber.safeParse({ blockNumber: '0x1' }).success).toBe(false)
})

// Holds D12.
test('an unknown block is an error in the words of go-ethereum', () => {
  expect(() => requireHeader(chain, { number: 3n })).toThrow('header not found')
  expect(() => requireHeader(chain, { hash: new Uint8Array(32) })).toThrow(
    'header for hash not found',
  )
})

test('whatever is given, parsing ends in a selector or an issue', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      const parsed = block.safeParse(given)
      expect(parsed.success || parsed.error.issues.length > 0).toBe(true)
    }),
  )
})

test.each([undefined, 'latest', 'pending', '0x1', 'garbage', null])(
  'the short way for the latest block means what the schema means: %s',
  (value) => {
    for (const schema of [block, blockNumber]) {
      const accepted = acceptOf(schema)?.(value)
      if (accepted !== undefined) expect(schema.parse(value)).toEqual(accepted)
    }
    expect(acceptOf(block)?.('latest')).toBeDefined()
  },
)
