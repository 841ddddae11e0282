// The effects of a message, as consecutive records that the host reads in one go.
//
// An account: address (20 bytes), flags (u32: 1 exists, 2 storage cleared, 4 code deployed), nonce (u64), balance (a
// word), code hash (32 bytes), code (address, length: u32 each), number of slots (u32), 4 unused bytes; then for each
// slot key and value (32 bytes each).
import {
  Account,
  DESTROYED,
  EXISTS,
  LOADED,
  TOUCHED,
  addressOf,
  balanceOf,
  codeHashOf,
  codeOf,
  isEmpty,
  newestAccount,
} from './accounts.as'
import { EMPTY_HASH } from './code.as'
import { heapUsed, release, reserve } from './heap.as'
import { HEAP } from './layout.as'
import { Slot, isSlotChanged, keyOf, valueOf } from './storage.as'
import { copyWord, isEqual, writeAddress, writeBytes } from './words.as'

const RECORD: usize = 112
const SLOT: usize = 64

@inline
function originalCodeHash(account: Account): usize {
  return changetype<usize>(account) + offsetof<Account>('originalCodeHash0')
}

@inline
function originalBalance(account: Account): usize {
  return changetype<usize>(account) + offsetof<Account>('originalBalance0')
}

function hasSameFields(account: Account, exists: bool): bool {
  const did = (account.originalFlags & EXISTS) != 0
  if (exists != did) return false
  if (!exists) return true
  return (
    account.nonce == account.originalNonce &&
    isEqual(balanceOf(account), originalBalance(account)) &&
    isEqual(codeHashOf(account), originalCodeHash(account))
  )
}

/** Writes the changed slots after a record. Returns their number. */
function writeSlots(account: Account): u32 {
  let count: u32 = 0
  for (let at = account.slots; at != 0; at = changetype<Slot>(at).previous) {
    const slot = changetype<Slot>(at)
    if (!isSlotChanged(slot)) continue
    const to = reserve(SLOT)
    writeBytes(to, keyOf(slot))
    writeBytes(to + 32, valueOf(slot))
    count++
  }
  return count
}

function writeAccount(account: Account): void {
  const isDestroyed = (account.flags & DESTROYED) != 0
  const isGone = isDestroyed || ((account.flags & TOUCHED) != 0 && isEmpty(account))
  const exists = (account.flags & EXISTS) != 0 && !isGone
  const record = reserve(RECORD)
  const slots = isDestroyed ? 0 : writeSlots(account)
  if (slots == 0 && !isDestroyed && hasSameFields(account, exists)) {
    release(record)
    return
  }
  const hasNewCode =
    exists &&
    !isEqual(codeHashOf(account), originalCodeHash(account)) &&
    !isEqual(codeHashOf(account), EMPTY_HASH)
  writeAddress(record, addressOf(account))
  store<u32>(record, u32(exists) | (u32(isDestroyed) << 1) | (u32(hasNewCode) << 2), 20)
  store<u64>(record, account.nonce, 24)
  copyWord(record + 32, balanceOf(account))
  copyWord(record + 64, codeHashOf(account))
  store<u32>(record, hasNewCode ? <u32>codeOf(account).bytes : 0, 96)
  store<u32>(record, hasNewCode ? codeOf(account).length : 0, 100)
  store<u32>(record, slots, 104)
}

/** Writes all records. Returns their start; `effectsEnd` is after the last one. */
export function writeEffects(): usize {
  const first = effectsEnd()
  for (let at = newestAccount(); at != 0; at = changetype<Account>(at).previous) {
    const account = changetype<Account>(at)
    // An account that was loaded in a reverted frame counts as never loaded: it has not changed.
    if (account.flags & LOADED) writeAccount(account)
  }
  return first
}

export function effectsEnd(): usize {
  return HEAP + heapUsed()
}
