/**
 * The state trie: the account trie and one storage trie per account, in memory over the records of the last checkpoint.
 * Candidates are computed next to it and adopted or dropped; a checkpoint writes what changed since the previous one.
 */
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Steps } from '../../base/steps.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { TrieChange } from './changes.ts'
import { createCheckpoint, type Checkpoint, type CheckpointPart } from './checkpoint.ts'
import { SHARDS, evictShard, treeBytes } from './evict.ts'
import { writeNodes, type TrieTables } from './journal.ts'
import { branchBytes, type Branch, type Child, type Leaf, type TrieRoot } from './node.ts'
import { findLeaf } from './findLeaf.ts'
import { leavesOfTrie } from './leaves.ts'
import { createNodeTable, type NodeTable } from './nodeTable.ts'
import { proveKey } from './prove.ts'
import { rootHash } from './reference.ts'
import { sortByKey } from './sortByKey.ts'
import { unstoredNodes, type NodeWrite, type TrieImage } from './unstored.ts'
import { loadedRoot, updateTrie, type UpdateContext } from './update.ts'

/** The next storage trie of one account. */
export type StorageCandidate = {
  readonly address: Uint8Array
  readonly root: TrieRoot
  readonly rootHash: Uint8Array
  /** Whether it was rebuilt, so that no older record may stay. */
  readonly isNew: boolean
  /** Keys of records to remove. */
  readonly vanished: readonly Uint8Array[]
  readonly changedLeaves: number
  /** Additional bytes of memory compared to the previous one. */
  readonly bytes: number
}

/** A state after the current one. */
export type TrieCandidate = {
  readonly accounts: TrieRoot
  readonly stateRoot: Uint8Array
  readonly vanished: readonly Uint8Array[]
  /** By address as hex digits. */
  readonly storages: ReadonlyMap<string, StorageCandidate>
  readonly changedLeaves: number
  readonly bytes: number
}

/** The trie's use of memory: its size, and its hits and misses. */
export type TrieStatistics = {
  readonly bytes: number
  readonly hits: number
  readonly misses: number
}

export type StateTrie = {
  readonly stateRoot: () => Uint8Array
  /**
   * The account's storage trie after the changes; starts empty when `isNew`. `root` is its current root hash. With
   * `from` the changes apply to that candidate, not to the current trie.
   */
  stageStorage(
    address: Uint8Array,
    root: Uint8Array,
    changes: readonly TrieChange[],
    isNew: boolean,
    from?: StorageCandidate,
  ): Steps<StorageCandidate>
  /**
   * The state after changes of account leaves: the current ones, or those of a candidate. Only the former can be
   * adopted.
   */
  stageAccounts(
    changes: readonly TrieChange[],
    storages: ReadonlyMap<string, StorageCandidate>,
    from?: TrieCandidate,
  ): Steps<TrieCandidate>
  /** Makes a candidate of the current state the current one. */
  adopt(candidate: TrieCandidate): void
  /** Number of leaves that changed since the last checkpoint began. */
  changedLeaves(): number
  /**
   * Inside a write transaction: stores a whole candidate at once, without a journal: a first state, or a part of one
   * that is restored. Call the result once that is committed, if the trie is used further.
   */
  storeWhole(candidate: TrieCandidate): () => void
  /** Whether a checkpoint is being written. */
  isCheckpointing(): boolean
  /** Begins a checkpoint of the current state, which is that after a height. Nothing is written yet. */
  beginCheckpoint(height: number): void
  /** Inside a write transaction: writes up to `limit` records of the checkpoint in progress. */
  writeCheckpoint(limit: number): Steps<CheckpointPart>
  /** The current leaf of an account; undefined for none. */
  accountLeaf(address: Uint8Array): Uint8Array | undefined
  /** The current leaf of a slot of an account whose storage has this root; undefined for zero. */
  slotLeaf(address: Uint8Array, root: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  /** The current leaves of all accounts, by ascending hash. Nothing may be adopted meanwhile. */
  accountLeaves(): Iterable<Leaf>
  /** The same for the slots of an account whose storage has this root. */
  slotLeaves(address: Uint8Array, root: Uint8Array): Iterable<Leaf>
  proveAccount(candidate: TrieCandidate, address: Uint8Array): readonly Uint8Array[]
  proveSlot(storage: StorageCandidate, slot: Uint8Array): readonly Uint8Array[]
  stats(): TrieStatistics
}

type PendingStorage = { readonly nodes: NodeTable; isNew: boolean; vanished: Uint8Array[] }

/** Number of leaves changed in one step: about a millisecond's work. */
const LEAVES_PER_STEP = 64

/** Maximum number of bytes of nodes kept in memory; exceeded while more is not stored yet. */
const DEFAULT_BUDGET = 64 * 1024 * 1024

/** The state trie over its tables, as the last checkpoint left them: `stateRoot` is the root there. */
export function createStateTrie(
  tables: TrieTables,
  stateRoot: Uint8Array,
  budget = DEFAULT_BUDGET,
): StateTrie {
  let accounts = rootFromHash(stateRoot)
  let currentRoot = stateRoot
  const storages = new Map<string, TrieRoot>()
  let vanishedAccounts: Uint8Array[] = []
  let pending = new Map<string, PendingStorage>()
  let changedLeaves = 0
  let checkpoint: Checkpoint | undefined
  let underCheckpoint: ReadonlyMap<string, PendingStorage> = new Map()
  let nextShard = 0
  const counts = { bytes: 0, hits: 0, misses: 0 }
  const accountNodes = createNodeTable(tables.accounts, EMPTY_BYTES, countLoad)

  function countLoad(branch: Branch): void {
    counts.misses++
    counts.bytes += branchBytes(branch)
  }

  function nodesOf(address: Uint8Array, keeps = true): NodeTable {
    return createNodeTable(tables.storages, address, keeps ? countLoad : undefined)
  }

  /** A new root, with the context that tracks the old nodes. */
  function* update(
    nodes: NodeTable,
    before: TrieRoot,
    changes: readonly TrieChange[],
  ): Steps<Pick<StorageCandidate, 'root' | 'vanished' | 'bytes'>> {
    const vanished: Uint8Array[] = []
    const context: UpdateContext = {
      load: nodes.load,
      onVanished: (path, depth) => vanished.push(nodes.pathKey(path, depth)),
      bytes: 0,
      hits: 0,
    }
    // Neighbours are updated together, so that the nodes above them are rebuilt only once or twice.
    const sorted = sortByKey(changes)
    let root = before
    for (let lo = 0; lo < sorted.length; lo += LEAVES_PER_STEP) {
      if (lo > 0) yield
      root = updateTrie(root, sorted.slice(lo, lo + LEAVES_PER_STEP), context)
    }
    counts.hits += context.hits
    return { root, vanished, bytes: context.bytes }
  }

  function trackChanges(candidate: TrieCandidate): void {
    vanishedAccounts.push(...candidate.vanished)
    for (const [key, { address, isNew, vanished }] of candidate.storages) {
      const before = pending.get(key)
      if (before === undefined || isNew)
        pending.set(key, {
          nodes: nodesOf(address),
          isNew: isNew || (before?.isNew ?? false),
          vanished: [...vanished],
        })
      else before.vanished.push(...vanished)
    }
  }

  /** The tries to store for the current state. */
  function images(): TrieImage[] {
    const list: TrieImage[] = [
      { nodes: accountNodes, root: accounts, isNew: false, vanished: vanishedAccounts },
    ]
    for (const [key, { nodes, isNew, vanished }] of pending)
      list.push({ nodes, root: storages.get(key), isNew, vanished })
    return list
  }

  function forgetChanges(): void {
    vanishedAccounts = []
    pending = new Map()
    changedLeaves = 0
  }

  /** Evicts the least recently used storage trie among those that are stored. */
  function evictStorage(): void {
    for (const [key, root] of storages) {
      if (pending.has(key) || underCheckpoint.has(key)) continue
      storages.delete(key)
      if (root?.kind === 'branch') counts.bytes -= treeBytes(root)
      return
    }
  }

  function evict(): void {
    for (let i = 0; i < SHARDS && counts.bytes > budget; i++) {
      evictStorage()
      counts.bytes -= evictShard(accounts, nextShard)
      nextShard = (nextShard + 1) % SHARDS
    }
  }

  function adopt(candidate: TrieCandidate): void {
    trackChanges(candidate)
    accounts = candidate.accounts
    currentRoot = candidate.stateRoot
    counts.bytes += candidate.bytes
    for (const [key, { root, isNew }] of candidate.storages) {
      const before = storages.get(key)
      if (isNew && before?.kind === 'branch') counts.bytes -= treeBytes(before)
      storages.delete(key)
      storages.set(key, root)
    }
    changedLeaves += candidate.changedLeaves
    evict()
  }

  /** The root of an account's current storage trie, read if it is not in memory. */
  function storageRoot(address: Uint8Array, hash: Uint8Array, keeps: boolean): Child {
    const key = toHexDigits(address)
    const known = storages.get(key)
    if (known !== undefined || storages.has(key)) return known as Child
    const root = loadedRoot(rootFromHash(hash), nodesOf(address, keeps).load)
    // Only branches count as memory, and so lead to evictions.
    if (keeps && root?.kind === 'branch') storages.set(key, root)
    return root
  }

  return {
    stateRoot: () => currentRoot,
    accountLeaf(address) {
      const keeps = counts.bytes <= budget
      accounts = loadedRoot(accounts, accountNodes.load)
      const { load } = keeps ? accountNodes : createNodeTable(tables.accounts, EMPTY_BYTES)
      return findLeaf(accounts, keccak256(address), load, keeps)
    },
    slotLeaf(address, root, slot) {
      const keeps = counts.bytes <= budget
      const from = storageRoot(address, root, keeps)
      return findLeaf(from, keccak256(slot), nodesOf(address, keeps).load, keeps)
    },
    accountLeaves() {
      accounts = loadedRoot(accounts, accountNodes.load)
      return leavesOfTrie(accounts, createNodeTable(tables.accounts, EMPTY_BYTES).load)
    },
    slotLeaves: (address, root) =>
      leavesOfTrie(storageRoot(address, root, false), nodesOf(address, false).load),
    *stageStorage(address, root, changes, isNew, from) {
      const key = toHexDigits(address)
      const nodes = nodesOf(address)
      // A root that is read stays: what is counted as memory is always part of the current state.
      if (from === undefined && !storages.has(key))
        storages.set(key, loadedRoot(rootFromHash(root), nodes.load))
      const before = from === undefined ? storages.get(key) : from.root
      const after = yield* update(nodes, isNew ? undefined : before, changes)
      return {
        address,
        ...after,
        rootHash: rootHash(after.root),
        isNew,
        changedLeaves: changes.length,
      }
    },
    *stageAccounts(changes, storageCandidates, from) {
      accounts = loadedRoot(accounts, accountNodes.load)
      const before = from === undefined ? accounts : from.accounts
      const { root, vanished, bytes } = yield* update(accountNodes, before, changes)
      let leaves = changes.length
      let allBytes = bytes
      for (const storage of storageCandidates.values()) {
        leaves += storage.changedLeaves
        allBytes += storage.bytes
      }
      return {
        accounts: root,
        stateRoot: rootHash(root),
        vanished,
        storages: storageCandidates,
        changedLeaves: leaves,
        bytes: allBytes,
      }
    },
    adopt,
    changedLeaves: () => changedLeaves,
    storeWhole(candidate) {
      const list: TrieImage[] = [
        {
          nodes: accountNodes,
          root: candidate.accounts,
          isNew: false,
          vanished: candidate.vanished,
        },
      ]
      for (const { address, root, vanished } of candidate.storages.values())
        list.push({ nodes: nodesOf(address), root, isNew: false, vanished })
      const writes: readonly NodeWrite[] = [...unstoredNodes(list)]
      writeNodes(writes)
      return () => {
        for (const { branch } of writes) if (branch !== undefined) branch.isStored = true
        forgetChanges()
      }
    },
    isCheckpointing: () => checkpoint !== undefined,
    beginCheckpoint(height) {
      checkpoint = createCheckpoint(tables, height, images())
      underCheckpoint = pending
      forgetChanges()
    },
    *writeCheckpoint(limit) {
      if (checkpoint === undefined) throw new RangeError('no checkpoint was begun')
      const part = yield* checkpoint.writePart(limit)
      return {
        isLast: part.isLast,
        finish() {
          part.finish()
          if (!part.isLast) return
          checkpoint = undefined
          underCheckpoint = new Map()
        },
      }
    },
    proveAccount: (candidate, address) =>
      proveKey(
        candidate.accounts,
        keccak256(address),
        createNodeTable(tables.accounts, EMPTY_BYTES).load,
      ),
    proveSlot: ({ address, root }, slot) =>
      proveKey(root, keccak256(slot), createNodeTable(tables.storages, address).load),
    stats: () => ({ ...counts }),
  }
}

function rootFromHash(hash: Uint8Array): TrieRoot {
  return equalBytes(hash, EMPTY_TRIE_ROOT) ? undefined : { kind: 'stub', hash }
}
