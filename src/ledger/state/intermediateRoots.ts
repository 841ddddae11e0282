/** State roots between the transactions of a block, computed without changing the state trie. */
import { trimLeft } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import { runSteps } from '../../base/steps.ts'
import type { AccountEffect, Effects } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { TrieChange } from '../trie/changes.ts'
import type { StateTrie, StorageCandidate, TrieCandidate } from '../trie/stateTrie.ts'
import { encodeAccountLeaf } from './accountRecord.ts'

/** The state before the first step. */
export type RootsBase = {
  readonly trie: StateTrie
  readonly accounts: TrieCandidate
  /** The storage trie of an account in that state, and its root alone. */
  storage(address: Uint8Array): StorageCandidate
  storageRoot(address: Uint8Array): Uint8Array
}

function leavesOf(effect: AccountEffect): TrieChange[] {
  return [...effect.storage].map(([slot, word]) => {
    const value = trimLeft(word)
    return {
      key: keccak256(fromHex(slot)),
      value: value.length === 0 ? undefined : encodeRlpBytes(value),
    }
  })
}

/** The root after each of the steps, each applied to the result of the previous one. */
export function rootsAfter(base: RootsBase, steps: readonly Effects[]): Uint8Array[] {
  const { trie } = base
  const storages = new Map<string, StorageCandidate>()
  let accounts = base.accounts

  /** The root of the account's storage trie after an effect. */
  function storageRootAfter(key: string, effect: AccountEffect): Uint8Array {
    const { address } = effect
    const known = storages.get(key)
    const isGone = effect.account === undefined
    const leaves = isGone ? [] : leavesOf(effect)
    const isNew = isGone || effect.storageCleared
    if (leaves.length === 0 && !isNew) return known?.rootHash ?? base.storageRoot(address)
    const before = known ?? base.storage(address)
    const after = runSteps(trie.stageStorage(address, EMPTY_TRIE_ROOT, leaves, isNew, before))
    storages.set(key, after)
    return after.rootHash
  }

  return steps.map((effects) => {
    const leaves = [...effects].map(([key, effect]): TrieChange => {
      const storageRoot = storageRootAfter(key, effect)
      const { account } = effect
      return {
        key: keccak256(effect.address),
        value: account && encodeAccountLeaf({ ...account, storageRoot }),
      }
    })
    accounts = runSteps(trie.stageAccounts(leaves, new Map(), accounts))
    return accounts.stateRoot
  })
}
