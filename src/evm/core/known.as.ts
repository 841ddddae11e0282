// Cached slot values of the underlying state, kept between messages as long as the host reports the same state. Most
// calls read what earlier ones have read, and a cache hit saves a call to the host.
//
// The cache is direct-mapped: a slot's hash selects its entry, and slots with the same entry evict each other. An entry
// is valid only under the state's number that it was created with, so nothing needs to be cleared when the state
// changes.
import { Account } from './accounts.as'
import { KNOWN } from './layout.as'
import { hashOf } from './table.as'
import { copyWord } from './words.as'

@inline const PLACES: u32 = 1 << 17

@unmanaged
class Entry {
  /** The number of the state, followed by the owner's address. */
  state: u64
  address0: u64
  address1: u64
  address2: u64
  key0: u64
  key1: u64
  key2: u64
  key3: u64
  value0: u64
  value1: u64
  value2: u64
  value3: u64
}

/** Nothing is cached while it is zero. */
let state: u64 = 0

/** Sets the state that is read from now on; zero for one whose storage may change. Numbers must not be reused. */
export function setKnownState(number: u32): void {
  state = <u64>number
}

@inline
function entryFor(account: Account, key: usize): Entry {
  const owner = account.address0 ^ rotl(account.address1, 23) ^ rotl(account.address2, 47)
  const hash = hashOf(
    owner,
    load<u64>(key),
    load<u64>(key, 8),
    load<u64>(key, 16),
    load<u64>(key, 24),
  )
  return changetype<Entry>(KNOWN + <usize>(hash & (PLACES - 1)) * offsetof<Entry>())
}

@inline
function valueOf(entry: Entry): usize {
  return changetype<usize>(entry) + offsetof<Entry>('value0')
}

/** Writes the value of a slot to `value` if it is cached; returns whether it is. */
export function recall(account: Account, key: usize, value: usize): bool {
  if (state == 0) return false
  const entry = entryFor(account, key)
  const isKnown =
    entry.state == state &&
    entry.key0 == load<u64>(key) &&
    entry.key1 == load<u64>(key, 8) &&
    entry.key2 == load<u64>(key, 16) &&
    entry.key3 == load<u64>(key, 24) &&
    entry.address0 == account.address0 &&
    entry.address1 == account.address1 &&
    entry.address2 == account.address2
  if (isKnown) copyWord(value, valueOf(entry))
  return isKnown
}

/** Caches the host's value of a slot. */
export function remember(account: Account, key: usize, value: usize): void {
  if (state == 0) return
  const entry = entryFor(account, key)
  entry.state = state
  entry.address0 = account.address0
  entry.address1 = account.address1
  entry.address2 = account.address2
  copyWord(changetype<usize>(entry) + offsetof<Entry>('key0'), key)
  copyWord(valueOf(entry), value)
}
