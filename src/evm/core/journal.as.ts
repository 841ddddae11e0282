// The undo journal of frames. Before a frame changes a record for the first time, the record's mutable part is copied
// here; a revert copies the parts back, last first. Records remember the scope (a frame, or a precompile call) that
// last saved them: a loop that writes the same slot saves one copy.
//
// An undo record: the saved bytes, then their address and length, so that it is read from its end.
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

/** Begins a scope with a new number. */
export function openScope(): u32 {
  scope = ++lastScope
  return scope
}

/** Returns to a scope that is still open. */
export function returnToScope(outer: u32): void {
  scope = outer
}

/** The point to which `undoTo` returns. */
@inline
export function journalEnd(): usize {
  return end
}

/** Saves `length` bytes (a multiple of 8) at `part`. */
export function save(part: usize, length: u32): void {
  const trailer = end + length
  if (trailer + 8 > JOURNAL_END) outOfMemory()
  for (let i: u32 = 0; i < length; i += 8) store<u64>(end + i, load<u64>(part + i))
  store<u32>(trailer, <u32>part)
  store<u32>(trailer, length, 4)
  end = trailer + 8
}

/** Restores everything that was saved after `point`. */
export function undoTo(point: usize): void {
  while (end > point) {
    const part = <usize>load<u32>(end - 8),
      length = load<u32>(end - 4)
    end -= 8 + length
    for (let i: u32 = 0; i < length; i += 8) store<u64>(part + i, load<u64>(end + i))
  }
}

export function resetJournal(): void {
  end = JOURNAL
  scope = 0
  lastScope = 0
}
