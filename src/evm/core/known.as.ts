// Values of slots as the state below has them, kept between messages for as long as the host says that this state is the
// same one. Most calls ask for what others before them asked for, and a value that is here costs no way to the host.
//
// Each slot has one place, by its hash; slots with the same place push each other out. An entry is worth something only
// under the state's number that it was made with, so that nothing is to be cleared when the state changes.
import { Account } from './accounts.as'
import { KNOWN } from './layout.as'
import { hashOf } from './table.as'
import { copyWord } from './words.as'

@inline const PLACES: u32 = 1 << 17

@unmanaged
class Entry {
  /** The number of the state, and behind it the owner's address. */
  state: u64
  address0: u64; address1: u64; address2: u64
  key0: u64; key1: u64; key2: u64; key3: u64
  value0: u64; value1: u64; value2: u64; value3: u64
}

/** Nothing is kept while it is zero. */
let state: u64 = 0

/** The state that reads come from now; zero for one whose storage may change. The numbers of others must not come again. */
export function setKnownState(number: u32): void {
  state = <u64>number
}

@inline
function entryFor(account: Account, key: usize): Entry {
  const owner = account.address0 ^ rotl(account.address1, 23) ^ rotl(account.address2, 47)
  const hash = hashOf(owner, load<u64>(key), load<u64>(key, 8), load<u64>(key, 16), load<u64>(key, 24))
  return changetype<Entry>(KNOWN + <usize>(hash & (PLACES - 1)) * offsetof<Entry>())
}

@inline
function valueOf(entry: Entry): usize {
  return changetype<usize>(entry) + offsetof<Entry>("value0")
}

/** Writes the value of a slot to `value` when it is known; whether it is. */
export function recall(account: Account, key: usize, value: usize): bool {
  if (state == 0) return false
  const entry = entryFor(account, key)
  const isKnown = entry.state == state
    && entry.key0 == load<u64>(key) && entry.key1 == load<u64>(key, 8)
    && entry.key2 == load<u64>(key, 16) && entry.key3 == load<u64>(key, 24)
    && entry.address0 == account.address0 && entry.address1 == account.address1 && entry.address2 == account.address2
  if (isKnown) copyWord(value, valueOf(entry))
  return isKnown
}

/** Keeps what the host has said of a slot. */
export function remember(account: Account, key: usize, value: usize): void {
  if (state == 0) return
  const entry = entryFor(account, key)
  entry.state = state
  entry.address0 = account.address0
  entry.address1 = account.address1
  entry.address2 = account.address2
  copyWord(changetype<usize>(entry) + offsetof<Entry>("key0"), key)
  copyWord(valueOf(entry), value)
}
