/** Compares the whole flat state with the state trie, both ways (D88). */
import { equalBytes } from '../../base/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { KvCorruptionError } from '../../store/kvError.ts'
import type { ExaminedRecord } from '../../store/kvTable.ts'
import { createAgreement } from '../state/agreement.ts'
import { decodeAccountLeaf, decodeAccountRecord } from '../state/accountRecord.ts'
import { ADDRESS_SIZE } from '../state/flatKey.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie } from '../trie/stateTrie.ts'

/** What is wrong with the flat state. */
export type FlatFault = {
  readonly table: 'accounts' | 'slots'
  /** Undefined for records that are missing: the trie knows only the hashes of their keys. */
  readonly key: Uint8Array | undefined
  /** The end of a sentence. */
  readonly reason: string
}

type OnFault = (fault: FlatFault) => void

/** Whether a record is as the trie has it; reports it otherwise. */
function isRight(
  table: FlatFault['table'],
  { key, fault }: ExaminedRecord,
  check: () => void,
  onFault: OnFault,
): boolean {
  try {
    if (fault === undefined) check()
    else onFault({ table, key, reason: fault })
    return fault === undefined
  } catch (error) {
    if (!(error instanceof KvCorruptionError)) throw error
    onFault({ table, key: error.key, reason: error.reason })
    return false
  }
}

function count(things: Iterable<unknown>): number {
  let number = 0
  for (const _ of things) number++
  return number
}

function reportMissing(table: FlatFault['table'], right: number, all: number, onFault: OnFault) {
  if (right === all) return
  onFault({ table, key: undefined, reason: `has ${right} of the ${all} that the state trie has` })
}

/** The storage root of an account in the trie. */
function storageRootIn(trie: StateTrie, address: Uint8Array): Uint8Array {
  const leaf = trie.accountLeaf(address)
  return leaf === undefined ? EMPTY_TRIE_ROOT : decodeAccountLeaf(leaf).storageRoot
}

/**
 * Calls back with each fault of the flat state after the last block, whose trie is given. Throws KvCorruptionError where
 * the trie itself, or a tree of the store, is damaged.
 */
export function findFlatFaults(tables: ChainTables, trie: StateTrie, onFault: OnFault): void {
  const agreement = createAgreement(tables, () => trie)
  let accounts = 0
  let slotLeaves = 0
  for (const record of tables.accounts.examine({})) {
    const check = (): void =>
      agreement.requireAccount(record.key, decodeAccountRecord(record.value))
    if (!isRight('accounts', record, check, onFault)) continue
    accounts++
    const { storageRoot } = decodeAccountRecord(record.value)
    if (!equalBytes(storageRoot, EMPTY_TRIE_ROOT))
      slotLeaves += count(trie.slotLeaves(record.key, storageRoot))
  }
  reportMissing('accounts', accounts, count(trie.accountLeaves()), onFault)

  let slots = 0
  let owner: { readonly address: Uint8Array; readonly root: Uint8Array } | undefined
  for (const record of tables.slots.examine({})) {
    const address = record.key.subarray(0, ADDRESS_SIZE)
    if (owner === undefined || !equalBytes(owner.address, address))
      owner = { address, root: storageRootIn(trie, address) }
    const { root } = owner
    const check = (): void => agreement.requireSlot(record.key, root, record.value)
    if (isRight('slots', record, check, onFault)) slots++
  }
  reportMissing('slots', slots, slotLeaves, onFault)
}
