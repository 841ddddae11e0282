/** The instructions of a function being written, and its local variables. */
import { EMPTY_BLOCK, I64, OP, writeSigned32, writeSigned64, writeUnsigned } from './encoding.ts'

/** 64 bits of a word: known, or in a local variable. */
export type Limb = bigint | { readonly local: number }

/** A word of the stack, the least significant limb first. */
export type Word = readonly [Limb, Limb, Limb, Limb]

export type Body = {
  readonly bytes: number[]
  /** Types of the locals so far, after the parameters. */
  readonly locals: number[]
  /** Instructions without immediates. */
  emit(...instructions: number[]): void
  i32(value: number): void
  i64(value: bigint): void
  get(local: number): void
  set(local: number): void
  tee(local: number): void
  /** Pushes a limb. */
  limb(limb: Limb): void
  /** Stores the top of WebAssembly's stack in a new local. */
  keep(): Limb
  call(index: number): void
  branch(depth: number): void
  /** Opens a block that runs if the i32 on top is not zero; closed by OP.end. */
  if(): void
  load16(offset: number): void
  load32(offset: number): void
  load64(offset: number): void
  store32(offset: number): void
  store64(offset: number): void
  /** Frees the limb locals for the next superblock. */
  recycle(): void
}

/** An empty body. `parameters` is how many locals are parameters, `fixed` the types of those that always exist. */
export function createBody(parameters: number, fixed: readonly number[]): Body {
  const bytes: number[] = []
  const locals = [...fixed]
  const first = parameters + fixed.length
  let next = first

  const withIndex = (opcode: number, index: number): void => {
    bytes.push(opcode)
    writeUnsigned(bytes, index)
  }
  const access = (opcode: number, alignment: number, offset: number): void => {
    bytes.push(opcode, alignment)
    writeUnsigned(bytes, offset)
  }
  const body: Body = {
    bytes,
    locals,
    emit: (...instructions) => bytes.push(...instructions),
    i32(value) {
      bytes.push(0x41)
      writeSigned32(bytes, value)
    },
    i64(value) {
      bytes.push(0x42)
      writeSigned64(bytes, value)
    },
    get: (local) => withIndex(0x20, local),
    set: (local) => withIndex(0x21, local),
    tee: (local) => withIndex(0x22, local),
    limb(limb) {
      if (typeof limb === 'bigint') body.i64(limb)
      else body.get(limb.local)
    },
    keep() {
      const local = next++
      if (local === parameters + locals.length) locals.push(I64)
      body.set(local)
      return { local }
    },
    call: (index) => withIndex(0x10, index),
    branch: (depth) => withIndex(0x0c, depth),
    if: () => bytes.push(0x04, EMPTY_BLOCK),
    load16: (offset) => access(0x2f, 0, offset),
    load32: (offset) => access(0x28, 0, offset),
    load64: (offset) => access(0x29, 0, offset),
    store32: (offset) => access(0x36, 0, offset),
    store64: (offset) => access(0x37, 0, offset),
    recycle() {
      next = first
    },
  }
  return body
}

const ALL = 0xffff_ffff_ffff_ffffn

/** Known limbs are unsigned. */
export const known = (value: bigint): bigint => value & ALL

/** A word that fits into one limb. */
export const small = (limb: Limb): Word => [limb, 0n, 0n, 0n]

export function wordOf(value: bigint): Word {
  return [known(value), known(value >> 64n), known(value >> 128n), known(value >> 192n)]
}

/** Pushes the result of an operation on two limbs. */
export function operate(body: Body, instruction: number, a: Limb, b: Limb): Limb {
  body.limb(a)
  body.limb(b)
  body.emit(instruction)
  return body.keep()
}

/** Pushes all limbs of a word combined with "or": not zero exactly if the word is not. `from` skips lower limbs. */
export function pushOr(body: Body, word: Word, from = 0): void {
  const limbs = word.slice(from).filter((limb) => limb !== 0n)
  if (limbs.length === 0) {
    body.i64(0n)
    return
  }
  for (const [index, limb] of limbs.entries()) {
    body.limb(limb)
    if (index > 0) body.emit(OP.i64Or)
  }
}
