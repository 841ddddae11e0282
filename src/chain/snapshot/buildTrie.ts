/** The state trie of accounts and slots that stand in the flat tables, built and stored in parts of bounded memory. */
import { compareBytes, equalBytes } from '../../base/bytes.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { Kv } from '../../store/kv.ts'
import {
  codeHashOf,
  decodeAccountRecord,
  encodeAccountLeaf,
  storageRootOf,
} from '../state/accountRecord.ts'
import { ADDRESS_SIZE, slotOfKey } from '../state/flatKey.ts'
import { trieTablesOf } from '../state/recover.ts'
import type { ChainTables } from '../tables.ts'
import type { TrieChange } from '../trie/changes.ts'
import { createStateTrie, type StorageCandidate } from '../trie/stateTrie.ts'
import { BadSnapshotError } from './badSnapshot.ts'
import { scan, type Entry } from './scan.ts'

/** Leaves that are in memory at a time: some hundred bytes each. */
const PART = 100_000

export type BuildOptions = {
  /** Called between parts and accounts: a promise lets others work until it resolves. */
  readonly pause?: (() => Promise<void> | undefined) | undefined
  readonly part?: number | undefined
}

/** The slots of one account after the other, in the order of the accounts. */
function slotsByAccount(tables: ChainTables) {
  const entries = scan(tables.slots)
  let next = entries.next()

  function* of(address: Uint8Array): Generator<Entry> {
    while (next.done !== true) {
      const order = compareBytes(next.value.key.subarray(0, ADDRESS_SIZE), address)
      if (order > 0) return
      if (order < 0) throw orphan(next.value)
      yield next.value
      next = entries.next()
    }
  }
  function end(): void {
    if (next.done !== true) throw orphan(next.value)
  }
  return { of, end }
}

function orphan({ key }: Entry): BadSnapshotError {
  return new BadSnapshotError(
    `there is storage without an account: ${toHex(key.subarray(0, ADDRESS_SIZE))}`,
  )
}

/** Throws BadSnapshotError unless every account's code is there, and nothing else. */
function checkCodes(tables: ChainTables, needed: ReadonlySet<string>): void {
  let stored = 0
  for (const { key } of scan(tables.codes)) {
    if (!needed.has(toHexDigits(key)))
      throw new BadSnapshotError(`no account has code ${toHex(key)}`)
    stored++
  }
  if (stored < needed.size)
    throw new BadSnapshotError(`the code of ${needed.size - stored} hashes is missing`)
}

/**
 * Stores the trie of everything in the flat tables and returns its root. The trie's tables are empty before. Throws
 * BadSnapshotError where an account does not have the storage or the code that it names.
 */
export async function buildStateTrie(
  kv: Kv,
  tables: ChainTables,
  { pause, part = PART }: BuildOptions = {},
): Promise<Uint8Array> {
  const trieTables = trieTablesOf(tables)
  let stateRoot: Uint8Array = EMPTY_TRIE_ROOT
  let trie = createStateTrie(trieTables, stateRoot)
  let accounts: TrieChange[] = []
  let storages = new Map<string, StorageCandidate>()
  let size = 0

  /** Stores what was collected. What comes later reads of it what it needs. */
  async function store(): Promise<void> {
    const candidate = trie.stageAccounts(accounts, storages)
    await kv.commit(() => {
      trie.storeWhole(candidate)
    })
    stateRoot = candidate.stateRoot
    trie = createStateTrie(trieTables, stateRoot)
    accounts = []
    storages = new Map()
    size = 0
    await pause?.()
  }

  async function buildStorage(address: Uint8Array, slots: Iterable<Entry>): Promise<Uint8Array> {
    let root: Uint8Array = EMPTY_TRIE_ROOT
    let leaves: TrieChange[] = []
    const stage = (): void => {
      if (leaves.length === 0) return
      const candidate = trie.stageStorage(address, root, leaves, false)
      storages.set(toHexDigits(address), candidate)
      root = candidate.rootHash
      leaves = []
    }
    for (const { key, value } of slots) {
      leaves.push({ key: keccak256(slotOfKey(key)), value: encodeRlpBytes(value) })
      if (++size < part) continue
      stage()
      await store()
    }
    stage()
    return root
  }

  const slots = slotsByAccount(tables)
  const codes = new Set<string>()
  for (const { key: address, value: record } of scan(tables.accounts)) {
    const storageRoot = await buildStorage(address, slots.of(address))
    if (!equalBytes(storageRoot, storageRootOf(record)))
      throw new BadSnapshotError(`the storage of ${toHex(address)} does not have its root`)
    const codeHash = codeHashOf(record)
    if (codeHash !== undefined) codes.add(toHexDigits(codeHash))
    const value = encodeAccountLeaf(decodeAccountRecord(record))
    accounts.push({ key: keccak256(address), value })
    if (++size >= part) await store()
    else await pause?.()
  }
  slots.end()
  checkCodes(tables, codes)
  await store()
  return stateRoot
}
