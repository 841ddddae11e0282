/**
 * Restores a chain from a snapshot: its state, its last block and the headers before. Everything is written as it
 * arrives, and becomes valid once it is complete and has the root that the caller trusts; a process that ends before
 * that starts over.
 */
import { EMPTY_BYTES, equalBytes, padLeft } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { runSteps } from '../../base/steps.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import type { Kv } from '../../store/kv.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { writeBlock } from '../blocks/blockWriter.ts'
import { decodeHeaderRecord, encodeHeaderRecord } from '../blocks/headerRecord.ts'
import { HEIGHT_SIZE, heightKey, readHeight } from '../blocks/heightKey.ts'
import type { ChainRules } from '../../chain/executed.ts'
import { decodeAccountRecord, encodeAccountRecord } from '../state/accountRecord.ts'
import { ADDRESS_SIZE, slotKey } from '../state/flatKey.ts'
import { readFact, removeFact, writeFact, type ChainTables } from '../tables.ts'
import { BadSnapshotError } from './badSnapshot.ts'
import { buildStateTrie, type BuildOptions } from './buildTrie.ts'
import { checkedBlock, checkHeaders } from './checkBlock.ts'
import { isAfter, KIND, unpackChunk, type SnapshotEntry } from './entries.ts'
import { emptyTable } from './scan.ts'
import { firstHeader } from './take.ts'

/** What is known of the chain before a snapshot is requested. */
export type RestoreTarget = {
  readonly rules: ChainRules
  readonly genesis: BlockHeader
  readonly height: number
  /** The signed state root after that height. */
  readonly stateRoot: Uint8Array
}

export type Restore = {
  /** Writes a chunk's entries; must be called in order. Throws BadSnapshotError or CorruptRecordError. */
  apply(chunk: Uint8Array): Promise<void>
  /**
   * Builds the trie, checks everything and makes the height the chain's tip. Returns its header. Throws
   * BadSnapshotError or CorruptRecordError; nothing of the snapshot may be used then.
   */
  finish(options?: BuildOptions): Promise<BlockHeader>
}

const CHAIN_FACTS = [
  'tip',
  'indexed',
  'checkpoint',
  'earliest',
  'earliestState',
  'logsIndexed',
] as const

/**
 * Removes the whole chain from the store, in several transactions, and marks that the chain of a height is being
 * restored.
 */
export function clearChain(kv: Kv, tables: ChainTables, height: number): void {
  kv.write(() => {
    writeFact(tables, 'restoring', height)
    for (const fact of CHAIN_FACTS) removeFact(tables, fact)
  })
  for (const table of Object.values(tables)) if (table !== tables.facts) emptyTable(kv, table)
}

/** Empties the chain if a snapshot was not restored completely. */
export function discardRestore(kv: Kv, tables: ChainTables): void {
  const height = readFact(tables, 'restoring')
  if (height === undefined) return
  clearChain(kv, tables, height)
  kv.write(() => removeFact(tables, 'restoring'))
}

const SLOT_KEY_SIZE = ADDRESS_SIZE + 32
const HASH_SIZE = 32

function isAccountRecord(record: Uint8Array): boolean {
  return equalBytes(encodeAccountRecord(decodeAccountRecord(record)), record)
}

/** Slot values have no leading zeros, and zero is not stored. */
function isSlotValue({ length, [0]: first }: Uint8Array): boolean {
  return length > 0 && length <= 32 && first !== 0
}

function isWellFormed({ kind, key, value }: SnapshotEntry): boolean {
  switch (kind) {
    case KIND.account:
      return key.length === ADDRESS_SIZE && isAccountRecord(value)
    case KIND.code:
      return key.length === HASH_SIZE && equalBytes(keccak256(value), key)
    case KIND.slot:
      return key.length === SLOT_KEY_SIZE && isSlotValue(value)
    default:
      return key.length === HEIGHT_SIZE
  }
}

/** Begins a restore into tables that `clearChain` has emptied. */
export function beginRestore(
  kv: Kv,
  tables: ChainTables,
  target: RestoreTarget,
  sha256: Sha256,
): Restore {
  const { rules, genesis, height, stateRoot } = target
  const headers: BlockHeader[] = []
  const records = {
    transactions: [] as Uint8Array[],
    receipts: [] as Uint8Array[],
    logs: [] as Uint8Array[],
    validatorUpdates: [] as Uint8Array[],
  }
  let before: SnapshotEntry | undefined

  function check(entry: SnapshotEntry): void {
    if (before !== undefined && !isAfter(entry, before))
      throw new BadSnapshotError('entries of the snapshot are out of order')
    if (!isWellFormed(entry))
      throw new BadSnapshotError(`an entry of kind ${entry.kind} of the snapshot is ill-formed`)
    before = entry
  }

  function put({ kind, key, value }: SnapshotEntry): void {
    switch (kind) {
      case KIND.header:
        headers.push(decodeHeaderRecord(value, readHeight(key)))
        return
      case KIND.transactions:
        records.transactions.push(value)
        return
      case KIND.receipts:
        records.receipts.push(value)
        return
      case KIND.logs:
        records.logs.push(value)
        return
      case KIND.validatorUpdates:
        records.validatorUpdates.push(value)
        return
      case KIND.account:
        return tables.accounts.put(key, value)
      case KIND.code:
        return tables.codes.put(key, value)
      case KIND.slot:
        return tables.slots.put(key, value)
    }
  }

  /** The headers before the last one, genesis first: sections of blooms are built from them. */
  function checkedHeaders(): {
    readonly earlier: readonly BlockHeader[]
    readonly last: BlockHeader
  } {
    const first = firstHeader(height)
    const isComplete =
      headers.length === height - first + 1 &&
      headers.every((header, index) => header.height === first + index)
    const last = headers.at(-1)
    if (!isComplete || last === undefined)
      throw new BadSnapshotError(`the snapshot does not have the headers ${first} to ${height}`)
    checkHeaders(rules, first === 1 ? [genesis, ...headers] : headers, {
      storage: (address, slot) =>
        padLeft(tables.slots.get(slotKey(address, slot)) ?? EMPTY_BYTES, 32),
    })
    return { earlier: [genesis, ...headers.slice(0, -1)], last }
  }

  return {
    async apply(chunk) {
      const entries = [...unpackChunk(chunk)]
      for (const entry of entries) check(entry)
      await kv.commit(() => {
        for (const entry of entries) put(entry)
      })
    },
    async finish(options) {
      const built = await buildStateTrie(kv, tables, options)
      if (!equalBytes(built, stateRoot))
        throw new BadSnapshotError(`the snapshot does not have the state root of block ${height}`)
      const { earlier, last } = checkedHeaders()
      if (!equalBytes(last.stateRoot, stateRoot))
        throw new BadSnapshotError(`the header of block ${height} does not have its state root`)
      const block = checkedBlock(rules, last, records)
      await kv.commit(() => {
        for (const header of earlier)
          tables.headers.put(heightKey(header.height), encodeHeaderRecord(header))
      })
      await kv.commit(() => {
        runSteps(writeBlock(tables, last, block, sha256))
        for (const fact of ['indexed', 'checkpoint', 'earliest', 'earliestState'] as const)
          writeFact(tables, fact, height)
        removeFact(tables, 'restoring')
      })
      return last
    },
  }
}
