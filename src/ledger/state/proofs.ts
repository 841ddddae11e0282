/** Proofs of accounts and slots (EIP-1186) at the last block and at older heights (D6). */
import { EMPTY_BYTES, equalBytes, padLeft } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import { runSteps } from '../../base/steps.ts'
import { EMPTY_CODE_HASH, type Effects } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { FlatState } from '../history/flatState.ts'
import type { AccountProof } from '../../chain/reader.ts'
import { CorruptRecordError } from '../records/reader.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie, StorageCandidate, TrieCandidate } from '../trie/stateTrie.ts'
import type { TrieChange } from '../trie/changes.ts'
import { decodeAccountRecord, encodeAccountLeaf, storageRootOf } from './accountRecord.ts'
import { slotKey, slotOfKey } from './flatKey.ts'
import { rootsAfter } from './intermediateRoots.ts'
import { touchedSince, type TouchedAccounts } from './recover.ts'

const ABSENT = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_TRIE_ROOT,
}

/** Sources of proofs: the current trie, the flat state at any height, and the last block's height. */
export type ProofSource = {
  readonly tables: ChainTables
  readonly trie: StateTrie
  readonly flat: FlatState
  readonly tip: number
}

/** The account trie before the accounts were touched: the current one with their old leaves. */
function accountsBefore(trie: StateTrie, touched: TouchedAccounts): TrieCandidate {
  const leaves: TrieChange[] = []
  for (const { address, record } of touched.values()) {
    if (record === undefined) continue
    leaves.push({
      key: keccak256(address),
      value: record.length === 0 ? undefined : encodeAccountLeaf(decodeAccountRecord(record)),
    })
  }
  return runSteps(trie.stageAccounts(leaves, new Map()))
}

/** The account's storage trie at a height: the current one with the old values of its slots. */
function storageAt(
  { trie, flat, tip }: ProofSource,
  height: number,
  address: Uint8Array,
  touched: TouchedAccounts,
): StorageCandidate {
  const root = storageRootOf(flat.read(address, tip, tip))
  const leaves: TrieChange[] = []
  for (const key of touched.get(toHexDigits(address))?.slots.values() ?? []) {
    const value = flat.read(key, height, tip)
    leaves.push({
      key: keccak256(slotOfKey(key)),
      value: value && encodeRlpBytes(value),
    })
  }
  return runSteps(trie.stageStorage(address, root, leaves, false))
}

type OlderState = {
  readonly height: number
  readonly tip: number
  readonly touched: TouchedAccounts
  readonly trie: TrieCandidate
}

/**
 * Creates the proofs of one chain. Caches the last older state that was requested: its slots are often requested one by
 * one.
 */
export function createProver(stateRootAt: (height: number) => Uint8Array) {
  let recent: OlderState | undefined

  function stateAt({ tables, trie, tip }: ProofSource, height: number): OlderState {
    if (recent?.height === height && recent.tip === tip) return recent
    const touched = touchedSince(tables, height, tip)
    const state = accountsBefore(trie, touched)
    if (!equalBytes(state.stateRoot, stateRootAt(height)))
      throw new CorruptRecordError(
        `the changesets do not lead back to the state of block ${height}`,
      )
    recent = { height, tip, touched, trie: state }
    return recent
  }

  return {
    /** Drops its cached older state: blocks were rolled back. */
    forget() {
      recent = undefined
    },
    /** The state roots after steps from the state of a height on. */
    roots(source: ProofSource, height: number, steps: readonly Effects[]): readonly Uint8Array[] {
      const { touched, trie: accounts } = stateAt(source, height)
      const base = {
        trie: source.trie,
        accounts,
        storage: (address: Uint8Array) => storageAt(source, height, address, touched),
        storageRoot: (address: Uint8Array) =>
          storageRootOf(source.flat.read(address, height, source.tip)),
      }
      return rootsAfter(base, steps)
    },

    prove(
      source: ProofSource,
      height: number,
      address: Uint8Array,
      slots: readonly Uint8Array[],
    ): AccountProof {
      const { trie, flat, tip } = source
      const state = stateAt(source, height)
      const record = flat.read(address, height, tip)
      const account = record ? decodeAccountRecord(record) : ABSENT
      const storage =
        slots.length === 0 ? undefined : storageAt(source, height, address, state.touched)
      if (storage !== undefined && !equalBytes(storage.rootHash, account.storageRoot))
        throw new CorruptRecordError(
          `the changesets do not lead back to the storage of ${toHexDigits(address)} at block ${height}`,
        )
      return {
        accountProof: trie.proveAccount(state.trie, address),
        balance: account.balance,
        nonce: account.nonce,
        codeHash: account.codeHash,
        storageRoot: account.storageRoot,
        storageProof: slots.map((slot) => ({
          slot,
          value: padLeft(flat.read(slotKey(address, slot), height, tip) ?? EMPTY_BYTES, 32),
          proof: storage ? trie.proveSlot(storage, slot) : [],
        })),
      }
    },
  }
}
