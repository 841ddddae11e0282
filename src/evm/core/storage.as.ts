// Storage and transient storage: a slot is requested from the host once, then kept here with its value before the
// message, its current value, and whether it is warm. SLOAD, SSTORE, TLOAD and TSTORE work on these records.
import { Account, CREATED, EXISTS, addressOf } from './accounts.as'
import { LONDON, includes } from './forks.as'
import {
  CLEAR_REFUND,
  COLD_SLOT,
  EARLIER_CLEAR_REFUND,
  RESET_SLOT,
  SET_SLOT,
  SSTORE_SENTRY,
  WARM_ACCESS,
} from './gas.as'
import { OUT_OF_GAS, REENTRANCY_SENTRY } from './halts.as'
import { allocate } from './heap.as'
import { loadStorage } from './host.as'
import { currentScope, save } from './journal.as'
import { recall, remember } from './known.as'
import { EXCHANGE } from './layout.as'
import { Table, clearTable, hashOf, insert, placeAt } from './table.as'
import { copyWord, isEqual, isZero, readBytes, writeAddress, writeBytes } from './words.as'

@unmanaged
export class Slot {
  hash: u32
  account: usize
  key0: u64
  key1: u64
  key2: u64
  key3: u64
  original0: u64
  original1: u64
  original2: u64
  original3: u64
  /** The account's previously accessed slot, or 0. */
  previous: usize
  isLoaded: u32
  // The mutable part, which the journal copies.
  isWarm: u32
  savedIn: u32
  value0: u64
  value1: u64
  value2: u64
  value3: u64
}

@inline
export function keyOf(slot: Slot): usize {
  return changetype<usize>(slot) + offsetof<Slot>('key0')
}

@inline
export function originalOf(slot: Slot): usize {
  return changetype<usize>(slot) + offsetof<Slot>('original0')
}

@inline
export function valueOf(slot: Slot): usize {
  return changetype<usize>(slot) + offsetof<Slot>('value0')
}

const persistent = changetype<Table>(memory.data(offsetof<Table>(), 8))
const transient = changetype<Table>(memory.data(offsetof<Table>(), 8))

/** EIP-3529: the refund counter of the message. Frames save its value to restore it on a revert. */
let refund: i64 = 0

export function refundCounter(): i64 {
  return refund
}

export function setRefundCounter(value: i64): void {
  refund = value
}

export function resetStorage(): void {
  clearTable(persistent)
  clearTable(transient)
  refund = 0
}

@inline
function slotIn(table: Table, account: Account, key: usize): Slot {
  const k0 = load<u64>(key),
    k1 = load<u64>(key, 8),
    k2 = load<u64>(key, 16),
    k3 = load<u64>(key, 24)
  const owner = changetype<usize>(account)
  const hash = hashOf(<u64>owner, k0, k1, k2, k3)
  let index = hash
  let record = <usize>load<u32>(placeAt(table, index))
  while (record != 0) {
    const slot = changetype<Slot>(record)
    if (
      slot.key0 == k0 &&
      slot.key1 == k1 &&
      slot.key2 == k2 &&
      slot.key3 == k3 &&
      slot.account == owner
    )
      return slot
    index++
    record = <usize>load<u32>(placeAt(table, index))
  }
  return newSlot(table, account, key, hash)
}

function newSlot(table: Table, account: Account, key: usize, hash: u32): Slot {
  const slot = changetype<Slot>(allocate(offsetof<Slot>()))
  slot.hash = hash
  slot.account = changetype<usize>(account)
  copyWord(keyOf(slot), key)
  insert(table, changetype<usize>(slot))
  return slot
}

/** The slot of an account, loaded from the state view on first access. */
export function slotAt(account: Account, key: usize): Slot {
  const slot = slotIn(persistent, account, key)
  if (slot.isLoaded) return slot
  slot.isLoaded = 1
  slot.previous = account.slots
  account.slots = changetype<usize>(slot)
  // An account created by this message had no storage before (EIP-7610).
  if (account.originalFlags & EXISTS && !(account.flags & CREATED)) {
    const original = originalOf(slot)
    if (!recall(account, key, original)) {
      writeAddress(EXCHANGE, addressOf(account))
      writeBytes(EXCHANGE + 32, key)
      loadStorage()
      readBytes(original, EXCHANGE)
      remember(account, key, original)
    }
    copyWord(valueOf(slot), original)
  }
  return slot
}

@inline
function beforeChange(slot: Slot): void {
  const scope = currentScope()
  if (slot.savedIn == scope) return
  const offset = offsetof<Slot>('isWarm')
  save(changetype<usize>(slot) + offset, <u32>offsetof<Slot>() - <u32>offset)
  slot.savedIn = scope
}

/** Marks a slot as warm; returns the surcharge of its access. */
@inline
function accessCost(slot: Slot): i64 {
  if (slot.isWarm) return 0
  beforeChange(slot)
  slot.isWarm = 1
  return COLD_SLOT
}

/** A slot of an access list (EIP-2930). */
export function warmUpSlot(account: Account, key: usize): void {
  accessCost(slotAt(account, key))
}

/** SLOAD: the value replaces the key. */
export function loadSlot(account: Account, key: usize, gas: i64): i64 {
  const slot = slotAt(account, key)
  const cold = accessCost(slot)
  const left = gas - (cold == 0 ? WARM_ACCESS : cold)
  if (left < 0) return OUT_OF_GAS
  copyWord(key, valueOf(slot))
  return left
}

/** The refund for clearing a slot: EIP-3529, EIP-2200 before it. */
@inline
function clearRefund(): i64 {
  return includes(LONDON) ? CLEAR_REFUND : EARLIER_CLEAR_REFUND
}

/** SSTORE with the prices and refunds of EIP-2200, 2929 and 3529. */
export function storeSlot(account: Account, key: usize, value: usize, gas: i64): i64 {
  if (gas <= SSTORE_SENTRY) return REENTRANCY_SENTRY
  const slot = slotAt(account, key)
  const current = valueOf(slot),
    original = originalOf(slot)
  let left = gas - accessCost(slot)
  if (isEqual(current, value)) {
    left -= WARM_ACCESS
    return left < 0 ? OUT_OF_GAS : left
  }
  if (isEqual(original, current)) {
    left -= isZero(original) ? SET_SLOT : RESET_SLOT
    if (left < 0) return OUT_OF_GAS
    if (isZero(value)) refund += clearRefund()
  } else {
    left -= WARM_ACCESS
    if (left < 0) return OUT_OF_GAS
    if (!isZero(original)) {
      if (isZero(current)) refund -= clearRefund()
      else if (isZero(value)) refund += clearRefund()
    }
    if (isEqual(original, value)) refund += (isZero(original) ? SET_SLOT : RESET_SLOT) - WARM_ACCESS
  }
  beforeChange(slot)
  copyWord(current, value)
  return left
}

/** TLOAD (EIP-1153): the value replaces the key. */
export function loadTransient(account: Account, key: usize): void {
  copyWord(key, valueOf(slotIn(transient, account, key)))
}

/** TSTORE (EIP-1153). */
export function storeTransient(account: Account, key: usize, value: usize): void {
  const slot = slotIn(transient, account, key)
  beforeChange(slot)
  copyWord(valueOf(slot), value)
}

/** Whether the slot's final value differs from its original one. */
export function isSlotChanged(slot: Slot): bool {
  return !isEqual(valueOf(slot), originalOf(slot))
}
