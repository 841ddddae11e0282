/**
 * The state trie of the accounts and slots in the flat tables, built and stored in parts: memory holds one part, and
 * leaves are inserted by ascending hash, so hardly any node is written twice.
 */
import { equalBytes } from '../../base/bytes.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import { runSteps } from '../../base/steps.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { Kv } from '../../store/kv.ts'
import {
  codeHashOf,
  decodeAccountRecord,
  encodeAccountLeaf,
  storageRootOf,
} from '../state/accountRecord.ts'
import { slotOfKey } from '../state/flatKey.ts'
import { trieTablesOf } from '../state/recover.ts'
import type { ChainTables } from '../tables.ts'
import type { TrieChange } from '../trie/changes.ts'
import { sortByKey } from '../trie/sortByKey.ts'
import { createStateTrie, type StorageCandidate } from '../trie/stateTrie.ts'
import { BadSnapshotError } from './badSnapshot.ts'
import { scan, type Entry } from './scan.ts'
import { slotsByAccount } from './slotsByAccount.ts'

export type BuildOptions = {
  /** Called repeatedly; if it returns a promise, the build waits for it, so that other work can run. */
  readonly pause?: (() => Promise<void> | undefined) | undefined
  /** Number of leaves in memory at a time, some hundred bytes each, and stored at once. */
  readonly part?: number | undefined
  readonly step?: number | undefined
  /** Whether the code that no account has, as of contracts that are gone, is no fault. */
  readonly hasOldCode?: boolean
}

/** 250,000 leaves: a hundred megabytes. */
const PART = 250_000
/** Some tens of milliseconds. */
const STEP = 10_000

/** Values of the first two bytes of a hash. */
const PREFIXES = 0x10000

/** A trie that grows in parts, each on disk before the next. */
function createBuilder(kv: Kv, tables: ChainTables) {
  const trieTables = trieTablesOf(tables)
  let stateRoot: Uint8Array = EMPTY_TRIE_ROOT
  let trie = createStateTrie(trieTables, stateRoot)
  return {
    stateRoot: () => stateRoot,
    stageStorage: (address: Uint8Array, root: Uint8Array, leaves: readonly TrieChange[]) =>
      runSteps(trie.stageStorage(address, root, leaves, false)),
    /** Later parts read back the nodes they need: nothing of this part stays in memory. */
    async store(
      accounts: readonly TrieChange[],
      storages: ReadonlyMap<string, StorageCandidate>,
    ): Promise<void> {
      const candidate = runSteps(trie.stageAccounts(accounts, storages))
      await kv.commit(() => {
        trie.storeWhole(candidate)
      })
      stateRoot = candidate.stateRoot
      trie = createStateTrie(trieTables, stateRoot)
    },
  }
}

type Builder = ReturnType<typeof createBuilder>

/** Throws BadSnapshotError unless the code of all accounts is there, and, without `hasOldCode`, no other. */
function checkCodes(tables: ChainTables, needed: ReadonlySet<string>, hasOldCode: boolean): void {
  let stored = 0
  for (const { key } of scan(tables.codes)) {
    const isNeeded = needed.has(toHexDigits(key))
    if (!isNeeded && hasOldCode) continue
    if (!isNeeded) throw new BadSnapshotError(`no account has code ${toHex(key)}`)
    stored++
  }
  if (stored < needed.size)
    throw new BadSnapshotError(`the code of ${needed.size - stored} hashes is missing`)
}

/** Stores every account's storage, and checks that its root is the account's. Returns the number of accounts. */
async function buildStorages(
  builder: Builder,
  tables: ChainTables,
  { pause, step = STEP, hasOldCode = false }: BuildOptions,
): Promise<number> {
  const slots = slotsByAccount(tables)
  const codes = new Set<string>()
  let storages = new Map<string, StorageCandidate>()
  let size = 0
  let accounts = 0

  async function store(): Promise<void> {
    await builder.store([], storages)
    storages = new Map()
    size = 0
  }

  async function build(address: Uint8Array, entries: Iterable<Entry>): Promise<Uint8Array> {
    let root: Uint8Array = EMPTY_TRIE_ROOT
    let leaves: TrieChange[] = []
    const stage = (): void => {
      if (leaves.length === 0) return
      const candidate = builder.stageStorage(address, root, leaves)
      storages.set(toHexDigits(address), candidate)
      root = candidate.rootHash
      leaves = []
    }
    for (const { key, value } of entries) {
      leaves.push({ key: keccak256(slotOfKey(key)), value: encodeRlpBytes(value) })
      if (++size < step) continue
      stage()
      await store()
    }
    stage()
    return root
  }

  for (const { key: address, value: record } of scan(tables.accounts)) {
    const root = await build(address, slots.of(address))
    if (!equalBytes(root, storageRootOf(record)))
      throw new BadSnapshotError(`the storage of ${toHex(address)} does not have its root`)
    const codeHash = codeHashOf(record)
    if (codeHash !== undefined) codes.add(toHexDigits(codeHash))
    accounts++
    await pause?.()
  }
  slots.end()
  await store()
  checkCodes(tables, codes, hasOldCode)
  return accounts
}

/** Stores the account trie: each pass handles the leaves whose hashes lie in one range. */
async function buildAccounts(
  builder: Builder,
  tables: ChainTables,
  count: number,
  { pause, part = PART, step = STEP }: BuildOptions,
): Promise<void> {
  const passes = Math.max(1, Math.ceil(count / part))
  for (let pass = 0; pass < passes; pass++) {
    const leaves: TrieChange[] = []
    for (const { key: address, value: record } of scan(tables.accounts)) {
      const key = keccak256(address)
      const prefix = (key[0] as number) * 256 + (key[1] as number)
      if (Math.floor((prefix * passes) / PREFIXES) === pass)
        leaves.push({ key, value: encodeAccountLeaf(decodeAccountRecord(record)) })
      await pause?.()
    }
    const sorted = sortByKey(leaves)
    for (let at = 0; at < sorted.length; at += step) {
      await builder.store(sorted.slice(at, at + step), new Map())
      await pause?.()
    }
  }
}

/**
 * Stores the trie of everything in the flat tables and returns its root. The trie's tables must be empty. Throws
 * BadSnapshotError if an account does not have the storage or the code that it names.
 */
export async function buildStateTrie(
  kv: Kv,
  tables: ChainTables,
  options: BuildOptions = {},
): Promise<Uint8Array> {
  const builder = createBuilder(kv, tables)
  const count = await buildStorages(builder, tables, options)
  await buildAccounts(builder, tables, count, options)
  return builder.stateRoot()
}
