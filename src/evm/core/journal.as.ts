// What undoes a frame. Before a frame changes a record for the first time, the record's mutable part is copied here; to
// revert is to copy the parts back, last first. Records remember the scope (a frame, or a precompile call) that saved
// them last: a loop that writes the same slot leaves one copy.
//
// An undo record: the saved bytes, then where they belong and how many they are, so that it is read from its end.
import { outOfMemory } from './host.as'
import { JOURNAL, JOURNAL_END } from './layout.as'

let end: usize = JOURNAL
let scope: u32 = 0
let lastScope: u32 = 0

/** The scope that changes belong to. */
@inline
export function currentScope(): u32 {
  return scope
}

/** Begins a scope with a number that no other one had. */
export function openScope(): u32 {
  scope = ++lastScope
  return scope
}

/** Goes back to a scope that is still open. */
export function returnToScope(outer: u32): void {
  scope = outer
}

/** The point that `undoTo` comes back to. */
@inline
export function journalEnd(): usize {
  return end
}

/** Keeps `length` bytes (a multiple of 8) at `part` as they are now. */
export function save(part: usize, length: u32): void {
  const trailer = end + length
  if (trailer + 8 > JOURNAL_END) outOfMemory()
  for (let i: u32 = 0; i < length; i += 8) store<u64>(end + i, load<u64>(part + i))
  store<u32>(trailer, <u32>part)
  store<u32>(trailer, length, 4)
  end = trailer + 8
}

/** Takes back everything that was saved after `point`. */
export function undoTo(point: usize): void {
  while (end > point) {
    const part = <usize>load<u32>(end - 8), length = load<u32>(end - 4)
    end -= 8 + length
    for (let i: u32 = 0; i < length; i += 8) store<u64>(part + i, load<u64>(end + i))
  }
}

export function resetJournal(): void {
  end = JOURNAL
  scope = 0
  lastScope = 0
}
