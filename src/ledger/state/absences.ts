/**
 * What a read-only thread finds nothing under. It has no trie of the last block, so the thread that writes the chain
 * confirms it before the answer goes out (D87). Values have their checksums.
 */
import { concatBytes } from '../../base/bytes.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { FlatState } from '../history/flatState.ts'
import type { ChainTables } from '../tables.ts'
import type { Agreement } from './agreement.ts'
import { isAccountKey } from './flatKey.ts'

/** Keys of the flat state without a record after the block at `tip`: each behind a byte with its length. */
export type AbsentKeys = { readonly tip: number; readonly keys: Uint8Array }

export type Absences = {
  /** Collects what is read of the state after the block that `tip` returns. */
  agreement(tip: () => number | undefined): Agreement
  /** What was collected since the last call. */
  take(): readonly AbsentKeys[]
}

/**
 * Maximum number of keys collected for one answer: confirming them takes the writing thread some tens of milliseconds.
 * Those beyond are not confirmed.
 */
const MAX_KEYS = 4096

/** An empty collection. */
export function createAbsences(): Absences {
  let found = new Map<number, Uint8Array[]>()
  let count = 0

  function add(key: Uint8Array, tip: number | undefined): void {
    if (tip === undefined || count >= MAX_KEYS) return
    const packed = new Uint8Array(1 + key.length)
    packed[0] = key.length
    packed.set(key, 1)
    const keys = found.get(tip)
    if (keys === undefined) found.set(tip, [packed])
    else keys.push(packed)
    count++
  }

  return {
    agreement: (tip) => ({
      requireAccount(key, account) {
        if (account === undefined) add(key, tip())
      },
      requireSlot(key, _root, record) {
        if (record.length === 0) add(key, tip())
      },
    }),
    take() {
      if (count === 0) return []
      const taken = Array.from(found, ([tip, keys]) => ({
        tip,
        keys: concatBytes(...keys),
      }))
      found = new Map()
      count = 0
      return taken
    },
  }
}

function* unpack(packed: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < packed.length;) {
    const end = at + 1 + (packed[at] as number)
    yield packed.subarray(at + 1, end)
    at = end
  }
}

/** A reader may see a block before the thread that writes: what that one changed cannot be told yet. */
export class UnconfirmedAbsenceError extends Error {
  override readonly name = 'UnconfirmedAbsenceError'
}

/**
 * Throws KvCorruptionError if the state after that block has a record under one of the keys; UnconfirmedAbsenceError or
 * StateUnavailableError if that cannot be told. `tip` is the last block.
 */
export function confirmAbsent(
  { accounts, slots }: ChainTables,
  flat: FlatState,
  { tip: height, keys }: AbsentKeys,
  tip: number,
): void {
  for (const key of unpack(keys)) {
    if (flat.read(key, Math.min(height, tip), tip) === undefined) continue
    if (height > tip) throw new UnconfirmedAbsenceError('the state changes: ask again')
    const table: KvTable = isAccountKey(key) ? accounts : slots
    throw table.damaged(key, 'is missing: the state trie has it')
  }
}
