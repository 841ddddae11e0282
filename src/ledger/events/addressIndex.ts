/**
 * Which transactions an address sent and received, for searches by event: one key per address and block, written in the
 * block's own transaction. Hashes have an index of their own (blocks/hashIndex.ts).
 */
import { EMPTY_BYTES, equalBytes, utf8 } from '../../base/bytes.ts'
import type { Kv } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { HEIGHT_SIZE, heightKey, readHeight, writeHeight } from '../blocks/heightKey.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import type { ChainReader } from '../../chain/reader.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'
import { ADDRESS_SIZE, keyText } from '../state/flatKey.ts'
import { sortByKey } from '../trie/sortByKey.ts'

/** Role of an address in a transaction: a created contract is the recipient of the transaction that creates it. */
export type AddressRole = 'sender' | 'recipient'

/** The parts of a block that the index reads. */
export type IndexedBlock = Pick<ExecutedBlock, 'decided' | 'transactions' | 'receipts'>

type BlockSource = Pick<ChainReader, 'decided' | 'transactions' | 'receipts'>

/** A block and positions among its decided transactions, ascending. */
export type AddressHits = { readonly height: number; readonly indexes: readonly number[] }

/** A committed block, for the index; empty if it is no longer kept. */
export function indexedBlock(chain: BlockSource, height: number): IndexedBlock {
  return {
    decided: chain.decided(height) ?? [],
    transactions: chain.transactions(height) ?? [],
    receipts: chain.receipts(height) ?? [],
  }
}

export type AddressIndex = {
  /** Adds the next block. Call inside the write transaction that writes it. */
  write(height: number, block: IndexedBlock): void
  /** Removes a block, inside a write transaction: for pruning. */
  remove(height: number, block: IndexedBlock): void
  /** Whether the index holds all entries of a block. */
  holds(height: number, block: IndexedBlock): boolean
  /** Backfills committed blocks that are missing, as in a store of a version without this index. */
  catchUp(chain: BlockSource & Pick<ChainReader, 'earliestHeight' | 'latestHeight'>): void
  /**
   * The first `limit` blocks of the heights first…last in which the address had any role. A block may have no
   * positions: the role was another one.
   */
  find(
    role: AddressRole,
    address: Uint8Array,
    first: number,
    last: number,
    limit: number,
  ): readonly AddressHits[]
  /** The first `limit` blocks of the heights first…last that decided transactions, and how many. */
  blocks(
    first: number,
    last: number,
    limit: number,
  ): readonly { readonly height: number; readonly count: number }[]
}

const ROLE_BITS: Readonly<Record<AddressRole, number>> = { sender: 1, recipient: 2 }
const ROLES = 4

/** Key of the height up to which blocks are indexed. It sorts after all heights, which begin with zeros. */
const INDEXED = utf8('indexed')

/** Number of blocks that one write transaction backfills. */
const CATCH_UP_BLOCKS = 500

/** Per address, the positions of its transactions, with its roles in the lowest bits. */
type Entries = ReadonlyMap<string, { readonly address: Uint8Array; readonly places: number[] }>

function entriesOf({ decided, transactions, receipts }: IndexedBlock): Entries {
  const entries = new Map<string, { readonly address: Uint8Array; readonly places: number[] }>()
  const add = (address: Uint8Array, index: number, role: AddressRole): void => {
    const key = keyText(address)
    const entry = entries.get(key)
    const place = index * ROLES + ROLE_BITS[role]
    if (entry === undefined) entries.set(key, { address, places: [place] })
    else if (Math.floor((entry.places.at(-1) ?? 0) / ROLES) === index)
      entry.places.push((entry.places.pop() ?? 0) + ROLE_BITS[role])
    else entry.places.push(place)
  }
  for (const [index, { transactionIndex }] of decided.entries()) {
    const transaction = transactionIndex === undefined ? undefined : transactions[transactionIndex]
    if (transactionIndex === undefined || transaction === undefined) continue
    add(transaction.sender, index, 'sender')
    const recipient = transaction.to ?? receipts[transactionIndex]?.contractAddress
    if (recipient !== undefined) add(recipient, index, 'recipient')
  }
  return entries
}

function entryKey(address: Uint8Array, height: number): Uint8Array {
  const key = new Uint8Array(ADDRESS_SIZE + HEIGHT_SIZE)
  key.set(address)
  writeHeight(key, ADDRESS_SIZE, height)
  return key
}

function encodePlaces(places: readonly number[]): Uint8Array {
  let before = 0
  return writeRecord((writer) => {
    for (const place of places) {
      const index = Math.floor(place / ROLES)
      writer.varint((index - before) * ROLES + (place % ROLES))
      before = index
    }
  })
}

function encodeCount(count: number): Uint8Array {
  return writeRecord((writer) => writer.varint(count))
}

function indexesWithRole(record: Uint8Array, role: AddressRole): readonly number[] {
  const reader = createRecordReader(record)
  const indexes: number[] = []
  let index = 0
  while (!reader.isAtEnd()) {
    const step = reader.varint()
    index += Math.floor(step / ROLES)
    if ((step & ROLE_BITS[role]) !== 0) indexes.push(index)
  }
  return indexes
}

/** Ascending keys share pages of the table while it is small. */
function sortedEntries(
  entries: Entries,
  height: number,
): readonly { readonly key: Uint8Array; readonly places: readonly number[] }[] {
  return sortByKey(
    Array.from(entries.values(), ({ address, places }) => ({
      key: entryKey(address, height),
      places,
    })),
  )
}

/** Opens the index in the chain's store. */
export function openAddressIndex(kv: Kv): AddressIndex {
  const addresses: KvTable = kv.table('addressTransactions')
  const counts: KvTable = kv.table('transactionCounts')

  function write(height: number, block: IndexedBlock): void {
    for (const { key, places } of sortedEntries(entriesOf(block), height))
      addresses.put(key, encodePlaces(places))
    const { length } = block.decided
    if (length > 0) counts.put(heightKey(height), encodeCount(length))
    counts.put(INDEXED, heightKey(height))
  }

  return {
    write,
    remove(height, block) {
      for (const { key } of sortedEntries(entriesOf(block), height)) addresses.remove(key)
      counts.remove(heightKey(height))
    },
    holds(height, block) {
      const isStored = (table: KvTable, key: Uint8Array, value: Uint8Array): boolean =>
        equalBytes(table.get(key) ?? EMPTY_BYTES, value)
      const { length } = block.decided
      return (
        (length === 0 || isStored(counts, heightKey(height), encodeCount(length))) &&
        sortedEntries(entriesOf(block), height).every(({ key, places }) =>
          isStored(addresses, key, encodePlaces(places)),
        )
      )
    },
    catchUp(chain) {
      const stored = counts.get(INDEXED)
      const last = chain.latestHeight()
      const first = stored === undefined ? 1 : readHeight(stored) + 1
      for (let from = Math.max(first, chain.earliestHeight()); from <= last;) {
        const to = Math.min(last, from + CATCH_UP_BLOCKS - 1)
        kv.write(() => {
          for (let height = from; height <= to; height++) write(height, indexedBlock(chain, height))
        })
        from = to + 1
      }
    },
    find(role, address, first, last, limit) {
      if (first > last) return []
      const [start, end] = [entryKey(address, first), entryKey(address, last + 1)]
      return Array.from(addresses.range({ start, end, limit }), ({ key, value }) => ({
        height: readHeight(key, ADDRESS_SIZE),
        indexes: indexesWithRole(value, role),
      }))
    },
    blocks(first, last, limit) {
      if (first > last) return []
      const [start, end] = [heightKey(first), heightKey(last + 1)]
      return Array.from(counts.range({ start, end, limit }), ({ key, value }) => ({
        height: readHeight(key),
        count: createRecordReader(value).varint(),
      }))
    },
  }
}
