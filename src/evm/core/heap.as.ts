// Memory that lives as long as one message: a bump allocator, freed all at once.
import { outOfMemory } from './host.as'
import { HEAP, HEAP_END } from './layout.as'

let next: usize = HEAP

/** `size` zeroed bytes at a multiple of 8. */
export function allocate(size: usize): usize {
  const at = reserve(size)
  memory.fill(at, 0, size)
  return at
}

/**
 * `size` bytes with undefined contents. Does not return if the heap is full, which no block can reach: gas pays for
 * every byte.
 */
export function reserve(size: usize): usize {
  const at = next
  if (size > HEAP_END - at - 8) outOfMemory()
  next = (at + size + 7) & ~7
  return at
}

/** Frees the last bytes, from `at` on. */
export function release(at: usize): void {
  next = at
}

export function resetHeap(): void {
  next = HEAP
}

/** Number of allocated bytes. */
export function heapUsed(): usize {
  return next - HEAP
}
