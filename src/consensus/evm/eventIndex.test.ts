import { afterEach, expect, test } from 'vitest'
import { senderAddress, signedTransfer } from '../../../test/support/poolRig.ts'
import { createStoredChain, type StoredChain } from '../../../test/support/storedChain.ts'
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { indexedBlock, openAddressIndex } from '../../ledger/events/addressIndex.ts'
import { createEvmEventIndex } from './eventIndex.ts'
import { TRANSACTION_EVENTS } from './events.ts'

const RECIPIENT = new Uint8Array(20).fill(0xaa)
const NEIGHBOUR = new Uint8Array(20).fill(0xab)
const INIT_CODE = fromHex('600160005360016000f3')
const ALL = { first: 1, last: 100 }

let chain: StoredChain
afterEach(() => chain.close())

/** Height 1 has no transactions, height 2 four of which one is refused, height 3 one. */
async function mine(): Promise<StoredChain> {
  const balance = 10n ** 20n
  chain = createStoredChain([
    { address: senderAddress(0), balance },
    { address: senderAddress(1), balance },
  ])
  await chain.mine()
  await chain.mine(
    signedTransfer(0, 0),
    signedTransfer(1, 7),
    signedTransfer(0, 1, { to: undefined, data: INIT_CODE, gasLimit: 100_000n }),
    signedTransfer(1, 0, { to: senderAddress(1) }),
  )
  await chain.mine(signedTransfer(0, 2, { to: NEIGHBOUR }))
  return chain
}

test('every indexed attribute of every event is found where it stands, and no other value is', async () => {
  const { kv, reader } = await mine()
  const addresses = openAddressIndex(kv)
  addresses.catchUp(reader)
  const index = createEvmEventIndex('assay', reader, addresses)
  let attributes = 0
  for (const { height, indexes } of index.blocks(ALL, 10))
    for (const at of indexes)
      for (const { type, attributes: own } of index.transaction(height, at)?.result.events ?? [])
        for (const { key, value, index: isIndexed } of own) {
          const tag = `${type}.${key}`
          expect(index.isTransactionTag(tag)).toBe(isIndexed)
          if (!isIndexed) continue
          attributes++
          const found = index.find(tag, value, { first: height, last: height }, 10)
          expect(found.flatMap((hits) => hits.indexes)).toContain(at)
          const other = value.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
          expect(index.find(tag, other, ALL, 10)).toEqual([])
        }
  expect(attributes).toBe(4 * 10)
  const indexed = TRANSACTION_EVENTS.flatMap((event) =>
    event.attributes.filter((each) => each.index).map(({ key }) => key),
  )
  expect(new Set(indexed)).toEqual(new Set(['sender', 'recipient', 'ethereumTxHash']))
})

// Holds D3.
test('an address is found by role, in both spellings, and a created contract as recipient', async () => {
  const { kv, reader } = await mine()
  const addresses = openAddressIndex(kv)
  addresses.catchUp(reader)
  const index = createEvmEventIndex('assay', reader, addresses)
  const find = (tag: string, address: Uint8Array, text: string = toHex(address)) =>
    index.find(tag, text, ALL, 10).filter(({ indexes }) => indexes.length > 0)

  expect(index.blocks(ALL, 10)).toEqual([
    { height: 2, indexes: [0, 1, 2, 3] },
    { height: 3, indexes: [0] },
  ])
  const sent = [
    { height: 2, indexes: [0, 2] },
    { height: 3, indexes: [0] },
  ]
  expect(find('assay.sender', senderAddress(0))).toEqual(sent)
  expect(find('message.sender', senderAddress(0), toChecksumAddress(senderAddress(0)))).toEqual(
    sent,
  )
  expect(find('assay.sender', senderAddress(0), toHex(senderAddress(0)).toUpperCase())).toEqual([])
  expect(find('assay.recipient', senderAddress(0))).toEqual([])
  expect(find('ethereum_tx.recipient', RECIPIENT)).toEqual([{ height: 2, indexes: [0] }])
  // To itself: both roles in one entry; its refused transaction has no events.
  expect(find('assay.sender', senderAddress(1))).toEqual([{ height: 2, indexes: [3] }])
  expect(find('assay.recipient', senderAddress(1))).toEqual([{ height: 2, indexes: [3] }])
  const contract = reader.receipts(2)?.[1]?.contractAddress ?? new Uint8Array(0)
  expect(find('assay.recipient', contract)).toEqual([{ height: 2, indexes: [2] }])
  const hash = toHex(reader.transactions(2)?.[2]?.hash ?? new Uint8Array(0))
  expect(index.find('assay.ethereumTxHash', hash, ALL, 10)).toEqual([{ height: 2, indexes: [3] }])
  expect(index.find('assay.ethereumTxHash', hash, { first: 3, last: 9 }, 10)).toEqual([])
  expect(index.transaction(2, 1)?.result).toMatchObject({ code: 2, events: [] })
})

test('the index is the same whether blocks were added as they came or caught up on, and pruned blocks leave it', async () => {
  const { kv, reader } = await mine()
  const addresses = openAddressIndex(kv)
  kv.write(() => addresses.write(2, indexedBlock(reader, 2)))
  addresses.catchUp(reader)
  addresses.catchUp(reader)
  expect(addresses.find('sender', senderAddress(0), 1, 3, 10)).toHaveLength(2)
  expect(addresses.find('sender', senderAddress(0), 3, 2, 10)).toEqual([])
  expect(addresses.blocks(1, 3, 1)).toEqual([{ height: 2, count: 4 }])

  kv.write(() => addresses.remove(2, indexedBlock(reader, 2)))
  expect(addresses.find('sender', senderAddress(0), 1, 3, 10)).toEqual([
    { height: 3, indexes: [0] },
  ])
  expect(addresses.blocks(1, 3, 10)).toEqual([{ height: 3, count: 1 }])
})
