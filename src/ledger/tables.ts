/** The tables of the chain in the store, and the few facts about the chain as a whole. */
import { utf8 } from '../base/bytes.ts'
import type { Kv } from '../store/kv.ts'
import type { KvTable } from '../store/kvTable.ts'
import { heightKey, readHeight } from './blocks/heightKey.ts'

export type ChainTables = {
  /** Facts of the chain: see `readFact`. */
  readonly facts: KvTable
  /** height → header. */
  readonly headers: KvTable
  /** height → decided transactions with senders and results. */
  readonly transactions: KvTable
  /** height → receipts without logs. */
  readonly receipts: KvTable
  /** height → logs; no record for a block without logs. */
  readonly logs: KvTable
  /** what a log has (see logs/logIndex.ts), height → nothing. */
  readonly logIndex: KvTable
  /** height → old values that the block replaced. */
  readonly changesets: KvTable
  /** address → latest account. */
  readonly accounts: KvTable
  /** address, slot → latest value without leading zeros. */
  readonly slots: KvTable
  /** code hash → code. */
  readonly codes: KvTable
  /** address, height → heights up to that one at which the account changed. */
  readonly accountHistory: KvTable
  /** address, slot, height → the same for a slot. */
  readonly slotHistory: KvTable
  /** start of a transaction hash, height, index → nothing. */
  readonly transactionHashes: KvTable
  /** height → the block's validator updates; no record for a block without any. */
  readonly validatorUpdates: KvTable
  /** height → logs of the end-of-block system call; no record if there are none. */
  readonly systemLogs: KvTable
  /** block hash → height. */
  readonly blockHashes: KvTable
  /** path → node of the account trie. */
  readonly accountTrie: KvTable
  /** address, path → node of a storage trie. */
  readonly storageTrie: KvTable
  /** Values that the checkpoint in progress has replaced in both. */
  readonly trieJournal: KvTable
}

/** Opens the tables, which are created if the store is open for writing. */
export function openChainTables(kv: Kv): ChainTables {
  return {
    facts: kv.table('chain'),
    headers: kv.table('headers'),
    transactions: kv.table('transactions'),
    receipts: kv.table('receipts'),
    logs: kv.table('logs'),
    logIndex: kv.table('logIndex'),
    changesets: kv.table('changesets'),
    accounts: kv.table('accounts'),
    slots: kv.table('slots'),
    codes: kv.table('codes'),
    accountHistory: kv.table('accountHistory'),
    slotHistory: kv.table('slotHistory'),
    transactionHashes: kv.table('transactionHashes'),
    validatorUpdates: kv.table('validatorUpdates'),
    systemLogs: kv.table('systemLogs'),
    blockHashes: kv.table('blockHashes'),
    accountTrie: kv.table('accountTrie'),
    storageTrie: kv.table('storageTrie'),
    trieJournal: kv.table('trieJournal'),
  }
}

/**
 * Heights that describe the store: `tip` is the last block; `indexed` the last one whose changes are in the history
 * tables; `checkpoint` the one whose state the trie tables hold once their journal is undone; `earliest` the lowest
 * kept block; `earliestState` the lowest height whose state is kept; `logsIndexed` the last block in the index of logs;
 * `restoring` the one whose snapshot was not restored completely: the tables do not hold a valid chain; `rollbacks` how
 * many times blocks were rolled back while the chain ran (D56).
 */
export type ChainFact =
  | 'tip'
  | 'indexed'
  | 'checkpoint'
  | 'earliest'
  | 'earliestState'
  | 'restoring'
  | 'logsIndexed'
  | 'rollbacks'

const FACT_KEYS: Readonly<Record<ChainFact, Uint8Array>> = {
  tip: utf8('tip'),
  indexed: utf8('indexed'),
  checkpoint: utf8('checkpoint'),
  earliest: utf8('earliest'),
  earliestState: utf8('earliestState'),
  restoring: utf8('restoring'),
  logsIndexed: utf8('logsIndexed'),
  rollbacks: utf8('rollbacks'),
}

/** The height of a fact; undefined before genesis, and for the earliest ones while nothing was pruned. */
export function readFact(tables: ChainTables, fact: ChainFact): number | undefined {
  const value = tables.facts.get(FACT_KEYS[fact])
  return value && readHeight(value)
}

/** Sets a fact, inside a write transaction. */
export function writeFact(tables: ChainTables, fact: ChainFact, height: number): void {
  tables.facts.put(FACT_KEYS[fact], heightKey(height))
}

/** Removes a fact, inside a write transaction. */
export function removeFact(tables: ChainTables, fact: ChainFact): void {
  tables.facts.remove(FACT_KEYS[fact])
}
