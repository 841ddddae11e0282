// The accounts that a message has accessed: their values from the state view, and their current ones. The host is asked
// when an account is first needed; being warm does not require it.
import { CODE_FROM_VIEW, Code, EMPTY_HASH } from './code.as'
import { allocate } from './heap.as'
import { loadAccount } from './host.as'
import { currentScope, save } from './journal.as'
import { EXCHANGE } from './layout.as'
import { Table, clearTable, hashOf, insert, placeAt } from './table.as'
import { add, copyWord, isEqual, isZero, subtract, writeAddress } from './words.as'

/** Flags of an account. */
export const LOADED: u32 = 1
export const EXISTS: u32 = 2
const WARM: u32 = 4
/** Touched in the sense of EIP-161: removed at the end if it is empty. */
export const TOUCHED: u32 = 8
/** Created by this message. */
export const CREATED: u32 = 16
/** Self-destructed, so that it is removed after this message. */
export const DESTROYED: u32 = 32

@unmanaged
export class Account {
  hash: u32
  /** The account accessed before this one, or 0. */
  previous: usize
  /** The address as a word. */
  address0: u64
  address1: u64
  address2: u64
  address3: u64
  /** The slots accessed so far, newest first (storage.as.ts). */
  slots: usize
  originalFlags: u32
  originalNonce: u64
  originalBalance0: u64
  originalBalance1: u64
  originalBalance2: u64
  originalBalance3: u64
  originalCodeHash0: u64
  originalCodeHash1: u64
  originalCodeHash2: u64
  originalCodeHash3: u64
  // The mutable part, which the journal copies.
  flags: u32
  savedIn: u32
  nonce: u64
  balance0: u64
  balance1: u64
  balance2: u64
  balance3: u64
  codeHash0: u64
  codeHash1: u64
  codeHash2: u64
  codeHash3: u64
  /** The code record, or CODE_FROM_VIEW if it was not needed yet. */
  code: usize
  reserved: u32
}

@inline
export function addressOf(account: Account): usize {
  return changetype<usize>(account) + offsetof<Account>('address0')
}

@inline
export function balanceOf(account: Account): usize {
  return changetype<usize>(account) + offsetof<Account>('balance0')
}

@inline
export function codeHashOf(account: Account): usize {
  return changetype<usize>(account) + offsetof<Account>('codeHash0')
}

const table = changetype<Table>(memory.data(offsetof<Table>(), 8))
let newest: usize = 0
let lastPrecompile: u64 = 0
let hasP256Verify = false

/** Clears all accounts. Precompiles are those up to `last`, and 0x100 if there is P256VERIFY. */
export function resetAccounts(last: u32, p256Verify: bool): void {
  clearTable(table)
  newest = 0
  moves = 0
  lastPrecompile = last
  hasP256Verify = p256Verify
}

/** The most recently added account; `previous` leads to the others. */
export function newestAccount(): usize {
  return newest
}

// Precompiles that a simulation has moved: an address in three numbers, then the precompile's number.
const MOST_MOVES: u32 = 64
const MOVE_SIZE: usize = 32
const moved = memory.data(64 * 32, 8)
let moves: u32 = 0

/** Puts a precompile at the address at EXCHANGE, for this message; 0 removes the one that is there. */
export function movePrecompile(number: u32): void {
  if (moves == MOST_MOVES) unreachable()
  const place = moved + <usize>moves * MOVE_SIZE
  copyWord(place, EXCHANGE)
  store<u64>(place, load<u64>(place, 16) & 0xffffffff, 16)
  store<u64>(place, <u64>number, 24)
  moves++
}

function movedAt(account: Account): i64 {
  for (let i: usize = 0; i < <usize>moves; i++) {
    const place = moved + i * MOVE_SIZE
    if (
      load<u64>(place) == account.address0 &&
      load<u64>(place, 8) == account.address1 &&
      load<u64>(place, 16) == account.address2
    )
      return load<i64>(place, 24)
  }
  return -1
}

/** The number of the precompile at an account's address; 0 if there is none. */
export function precompileAt(account: Account): u32 {
  if (moves != 0) {
    const number = movedAt(account)
    if (number >= 0) return <u32>number
  }
  return ownPrecompileAt(account)
}

/** The same, ignoring moves: these addresses are warm from the start. */
function ownPrecompileAt(account: Account): u32 {
  const number = account.address0
  if ((account.address1 | account.address2) != 0) return 0
  return number <= lastPrecompile || (hasP256Verify && number == 0x100) ? <u32>number : 0
}

/** The record of the account whose address is in the low 160 bits of a word. Does not load it. */
export function accountAt(word: usize): Account {
  const a0 = load<u64>(word),
    a1 = load<u64>(word, 8),
    a2 = load<u64>(word, 16) & 0xffffffff
  const hash = hashOf(0, a0, a1, a2, 0)
  let index = hash
  let record = <usize>load<u32>(placeAt(table, index))
  while (record != 0) {
    const account = changetype<Account>(record)
    if (account.address0 == a0 && account.address1 == a1 && account.address2 == a2) return account
    index++
    record = <usize>load<u32>(placeAt(table, index))
  }
  const account = changetype<Account>(allocate(offsetof<Account>()))
  account.hash = hash
  account.address0 = a0
  account.address1 = a1
  account.address2 = a2
  account.previous = newest
  newest = changetype<usize>(account)
  if (ownPrecompileAt(account) != 0) account.flags = WARM
  insert(table, newest)
  return account
}

/** The same with its fields from the state view. */
export function loadedAccountAt(word: usize): Account {
  const account = accountAt(word)
  ensureLoaded(account)
  return account
}

export function ensureLoaded(account: Account): void {
  if (account.flags & LOADED) return
  writeAddress(EXCHANGE, addressOf(account))
  account.code = CODE_FROM_VIEW
  if (loadAccount() != 0) {
    account.nonce = load<u64>(EXCHANGE)
    copyWord(balanceOf(account), EXCHANGE + 8)
    copyWord(codeHashOf(account), EXCHANGE + 40)
    account.flags |= LOADED | EXISTS
  } else {
    copyWord(codeHashOf(account), EMPTY_HASH)
    account.flags |= LOADED
  }
  account.originalFlags = account.flags
  account.originalNonce = account.nonce
  copyWord(changetype<usize>(account) + offsetof<Account>('originalBalance0'), balanceOf(account))
  copyWord(changetype<usize>(account) + offsetof<Account>('originalCodeHash0'), codeHashOf(account))
}

/** Must be called before the mutable part changes. */
@inline
export function beforeChange(account: Account): void {
  const scope = currentScope()
  if (account.savedIn == scope) return
  const offset = offsetof<Account>('flags')
  save(changetype<usize>(account) + offset, <u32>offsetof<Account>() - <u32>offset)
  account.savedIn = scope
}

export function isWarm(account: Account): bool {
  return (account.flags & WARM) != 0
}

/** Marks an account as warm (EIP-2929); whether it was cold. */
export function warmUp(account: Account): bool {
  if (account.flags & WARM) return false
  beforeChange(account)
  account.flags |= WARM
  return true
}

/** Without code, nonce and balance (EIP-161); also true when the account does not exist. */
export function isEmpty(account: Account): bool {
  return (
    account.nonce == 0 && isZero(balanceOf(account)) && isEqual(codeHashOf(account), EMPTY_HASH)
  )
}

/** Marks an account as touched. */
function touch(account: Account): void {
  if (account.flags & TOUCHED) return
  beforeChange(account)
  account.flags |= TOUCHED
}

/** Transfers value, which the sender must have. The receiver exists afterwards, and both are touched. */
export function transfer(from: Account, to: Account, value: usize): void {
  if (isZero(value)) {
    if (to.flags & EXISTS && isEmpty(to)) touch(to)
    return
  }
  beforeChange(from)
  subtract(balanceOf(from), balanceOf(from), value)
  from.flags |= TOUCHED
  beforeChange(to)
  add(balanceOf(to), balanceOf(to), value)
  to.flags |= EXISTS | TOUCHED
}

/** The code of an account, empty or not. */
export function codeOf(account: Account): Code {
  ensureLoaded(account)
  if (account.code == CODE_FROM_VIEW) account.code = changetype<usize>(Code.at(codeHashOf(account)))
  return changetype<Code>(account.code)
}
