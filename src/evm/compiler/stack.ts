/**
 * The top of the operand stack while a superblock runs: words are read from memory on demand and written back before
 * any other code looks. A place is the number of a word above `base`.
 */
import type { Body, Limb, Word } from './body.ts'
import { OP } from './encoding.ts'

const WORD = 32

export type SymbolicStack = {
  /** Words above `base`. */
  height(): number
  push(word: Word): void
  pop(): Word
  /** The word this many places below the top; the top is 0. */
  peek(depth: number): Word
  swap(depth: number): void
  /** Pushes the address of a place. */
  address(place: number): void
  /** Writes the word of a place to memory. */
  write(place: number): void
  /** Writes all words. */
  flush(): void
  /** The same in a branch that does not return: the known values stay unchanged. */
  flushAside(): void
  /** From now on only memory holds the value of a place. */
  forget(place: number): void
  /** The memory of a place is no longer known; its word still is. */
  distrust(place: number): void
}

/** A stack with `height` words in memory above the address in the local `base`. */
export function createSymbolicStack(body: Body, base: number, height: number): SymbolicStack {
  /** Words in locals by place, and the words that memory holds. */
  const held = new Map<number, Word>()
  const inMemory = new Map<number, Word>()
  let top = height

  function read(place: number): Word {
    let word = held.get(place)
    if (word === undefined) {
      const limb = (index: number): Limb => {
        body.get(base)
        body.load64(place * WORD + index * 8)
        return body.keep()
      }
      word = [limb(0), limb(1), limb(2), limb(3)]
      held.set(place, word)
      inMemory.set(place, word)
    }
    return word
  }

  function store(place: number): boolean {
    const word = held.get(place)
    if (word === undefined || inMemory.get(place) === word) return false
    for (const [index, limb] of word.entries()) {
      body.get(base)
      body.limb(limb)
      body.store64(place * WORD + index * 8)
    }
    return true
  }

  const stack: SymbolicStack = {
    height: () => top,
    push(word) {
      held.set(top, word)
      top++
    },
    pop() {
      top--
      return read(top)
    },
    peek: (depth) => read(top - 1 - depth),
    swap(depth) {
      const [upper, lower] = [read(top - 1), read(top - 1 - depth)]
      held.set(top - 1, lower)
      held.set(top - 1 - depth, upper)
    },
    address(place) {
      body.get(base)
      body.i32(place * WORD)
      body.emit(OP.i32Add)
    },
    write(place) {
      const word = held.get(place)
      if (word !== undefined && store(place)) inMemory.set(place, word)
    },
    flush() {
      for (const place of held.keys()) if (place < top) stack.write(place)
    },
    flushAside() {
      for (const place of held.keys()) if (place < top) store(place)
    },
    forget(place) {
      held.delete(place)
      inMemory.delete(place)
    },
    distrust(place) {
      inMemory.delete(place)
    },
  }
  return stack
}
