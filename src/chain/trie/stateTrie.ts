/**
 * The state trie: the account trie and one storage trie per account, in memory over the records of the last checkpoint.
 * Candidates are computed beside it and adopted or dropped; a checkpoint writes what changed since the one before.
 */
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { KvTable } from '../../store/kv.ts'
import { countNodes, evictBelow } from './evict.ts'
import type { BranchNode, TrieRoot } from './node.ts'
import { createNodeTable, type NodeTable } from './nodeTable.ts'
import { proveKey } from './prove.ts'
import { rootHash } from './reference.ts'
import { updateTrie, type TrieChange } from './update.ts'

/** The next storage trie of one account. */
export type StorageCandidate = {
  readonly address: Uint8Array
  readonly root: TrieRoot
  readonly rootHash: Uint8Array
  /** Whether it was built anew, so that no older record may stay. */
  readonly isNew: boolean
  /** Keys of records that must go. */
  readonly vanished: readonly Uint8Array[]
  readonly changedLeaves: number
}

/** A state after the present one. */
export type TrieCandidate = {
  readonly accounts: TrieRoot
  readonly stateRoot: Uint8Array
  readonly vanished: readonly Uint8Array[]
  /** By address as hex digits. */
  readonly storages: ReadonlyMap<string, StorageCandidate>
  readonly changedLeaves: number
}

export type StateTrie = {
  readonly stateRoot: () => Uint8Array
  /** The account's storage trie after sorted changes; from nothing when `isNew`. `root` is its present root hash. */
  stageStorage(
    address: Uint8Array,
    root: Uint8Array,
    changes: readonly TrieChange[],
    isNew: boolean,
  ): StorageCandidate
  /** The state after sorted changes of account leaves. */
  stageAccounts(
    changes: readonly TrieChange[],
    storages: ReadonlyMap<string, StorageCandidate>,
  ): TrieCandidate
  /** Makes a candidate of the present state the present one. */
  adopt(candidate: TrieCandidate): void
  /** Leaves that changed since the last checkpoint. */
  changedLeaves(): number
  /** Inside a write transaction: stores the state as it is with the candidate. Call the result once that is committed. */
  checkpoint(candidate: TrieCandidate | undefined): () => void
  proveAccount(candidate: TrieCandidate, address: Uint8Array): readonly Uint8Array[]
  proveSlot(storage: StorageCandidate, slot: Uint8Array): readonly Uint8Array[]
}

type PendingStorage = { readonly nodes: NodeTable; isNew: boolean; vanished: Uint8Array[] }

/** Nodes that may stay in memory after a checkpoint, at 400 to 700 bytes each; half of them where there were more. */
const DEFAULT_NODE_BUDGET = 150_000

/** Levels of the account trie that always stay: at most 16^4 branches. */
const RESIDENT_DEPTH = 4

/** The state trie over two tables, as the last checkpoint left it: `stateRoot` is the root there. */
export function createStateTrie(
  tables: { readonly accounts: KvTable; readonly storages: KvTable },
  stateRoot: Uint8Array,
  nodeBudget = DEFAULT_NODE_BUDGET,
): StateTrie {
  const accountNodes = createNodeTable(tables.accounts, new Uint8Array(0))
  let accounts = rootFromHash(stateRoot)
  let currentRoot = stateRoot
  const storages = new Map<string, TrieRoot>()
  let vanishedAccounts: Uint8Array[] = []
  const pending = new Map<string, PendingStorage>()
  let changedLeaves = 0
  let grown = 0

  function nodesOf(address: Uint8Array): NodeTable {
    return createNodeTable(tables.storages, address)
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

  /** Drops whole storage tries, longest unused first, then the deep levels of the account trie. */
  function evict(): void {
    let count = countNodes(accounts)
    for (const root of storages.values()) count += countNodes(root)
    grown = 0
    if (count <= nodeBudget) return
    for (const [key, root] of storages) {
      if (count <= nodeBudget / 2) return
      storages.delete(key)
      count -= countNodes(root)
    }
    if (count > nodeBudget / 2) evictBelow(accounts, RESIDENT_DEPTH)
  }

  return {
    stateRoot: () => currentRoot,
    stageStorage(address, root, changes, isNew) {
      const nodes = nodesOf(address)
      const vanished: Uint8Array[] = []
      const key = toHexDigits(address)
      const before = storages.has(key) ? storages.get(key) : rootFromHash(root)
      const after = updateTrie(isNew ? undefined : before, changes, {
        load: nodes.load,
        onVanished: (path, depth) => vanished.push(nodes.pathKey(path, depth)),
      })
      return {
        address,
        root: after,
        rootHash: rootHash(after),
        isNew,
        vanished,
        changedLeaves: changes.length,
      }
    },
    stageAccounts(changes, storageCandidates) {
      const vanished: Uint8Array[] = []
      const after = updateTrie(accounts, changes, {
        load: accountNodes.load,
        onVanished: (path, depth) => vanished.push(accountNodes.pathKey(path, depth)),
      })
      let leaves = changes.length
      for (const storage of storageCandidates.values()) leaves += storage.changedLeaves
      return {
        accounts: after,
        stateRoot: rootHash(after),
        vanished,
        storages: storageCandidates,
        changedLeaves: leaves,
      }
    },
    adopt(candidate) {
      trackChanges(candidate)
      accounts = candidate.accounts
      currentRoot = candidate.stateRoot
      for (const [key, { root }] of candidate.storages) {
        storages.delete(key)
        storages.set(key, root)
      }
      changedLeaves += candidate.changedLeaves
      grown += candidate.changedLeaves
    },
    changedLeaves: () => changedLeaves,
    checkpoint(candidate) {
      const removed = [...vanishedAccounts, ...(candidate?.vanished ?? [])]
      for (const key of removed) tables.accounts.remove(key)
      const stored: BranchNode[] = [
        ...accountNodes.store(candidate ? candidate.accounts : accounts),
      ]
      for (const [key, { nodes, isNew, vanished }] of pending) {
        if (isNew) nodes.clear()
        else for (const path of vanished) tables.storages.remove(path)
        if (candidate?.storages.has(key) !== true) stored.push(...nodes.store(storages.get(key)))
      }
      for (const { address, root, isNew, vanished } of candidate?.storages.values() ?? []) {
        const nodes = nodesOf(address)
        if (isNew) nodes.clear()
        else for (const path of vanished) tables.storages.remove(path)
        stored.push(...nodes.store(root))
      }
      return () => {
        for (const branch of stored) branch.isStored = true
        vanishedAccounts = []
        pending.clear()
        changedLeaves = 0
        if (grown > nodeBudget / 8) evict()
      }
    },
    proveAccount: (candidate, address) =>
      proveKey(candidate.accounts, keccak256(address), accountNodes.load),
    proveSlot: ({ address, root }, slot) => proveKey(root, keccak256(slot), nodesOf(address).load),
  }
}

function rootFromHash(hash: Uint8Array): TrieRoot {
  return equalBytes(hash, EMPTY_TRIE_ROOT) ? undefined : { kind: 'stub', reference: hash }
}
