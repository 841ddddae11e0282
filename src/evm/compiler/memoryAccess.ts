/** MLOAD and MSTORE within existing memory. Expanding it, which costs gas, is left to the interpreter. */
import { pushOr, type Body, type Limb, type Word } from './body.ts'
import { FRAME } from './core.ts'
import { OP } from './encoding.ts'
import { LOCAL } from './locals.ts'
import type { Site } from './site.ts'

const VECTOR = 0xfd
const LOAD = 0x00
const STORE = 0x0b
const SHUFFLE = 0x0d
const SPLAT_I64 = 0x12
const EXTRACT_I64 = 0x1d
const REPLACE_I64 = 0x1e
const REVERSED = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
/** Maximum size of memory (core/memory.as.ts). */
const MAX_MEMORY = 0x60000000n

/** Exits the function unless 32 bytes at the offset are in use; sets LOCAL.address to their address. */
function emitAddress({ body, exit }: Site, offset: Word): void {
  pushOr(body, offset, 1)
  body.i64(0n)
  body.emit(OP.i64NotEqual)
  body.limb(offset[0])
  body.i64(MAX_MEMORY)
  body.emit(OP.i64GreaterU, OP.i32Or)
  body.limb(offset[0])
  body.emit(OP.i32Wrap)
  body.i32(32)
  body.emit(OP.i32Add)
  body.get(LOCAL.frame)
  body.load32(FRAME.memorySize)
  body.emit(OP.i32GreaterU, OP.i32Or)
  body.if()
  exit()
  body.emit(OP.end)
  body.get(LOCAL.frame)
  body.load32(FRAME.memory)
  body.limb(offset[0])
  body.emit(OP.i32Wrap, OP.i32Add)
  body.set(LOCAL.address)
}

/** Reverses the bytes of the vector on top. */
function emitReversal(body: Body): void {
  body.tee(LOCAL.vector)
  body.get(LOCAL.vector)
  body.emit(VECTOR, SHUFFLE, ...REVERSED)
}

/** MLOAD: bytes are big-endian, so the vector of the last sixteen holds the lower limbs. */
export function emitLoad(site: Site): void {
  const { body, stack } = site
  emitAddress(site, stack.peek(0))
  stack.pop()
  const pair = (at: number): [Limb, Limb] => {
    body.get(LOCAL.address)
    body.emit(VECTOR, LOAD, 0, at)
    emitReversal(body)
    body.set(LOCAL.vector)
    const lane = (index: number): Limb => {
      body.get(LOCAL.vector)
      body.emit(VECTOR, EXTRACT_I64, index)
      return body.keep()
    }
    return [lane(0), lane(1)]
  }
  stack.push([...pair(16), ...pair(0)])
}

/** MSTORE. */
export function emitStore(site: Site): void {
  const { body, stack } = site
  emitAddress(site, stack.peek(0))
  stack.pop()
  const word = stack.pop()
  const store = (at: number, low: Limb, high: Limb): void => {
    body.get(LOCAL.address)
    body.limb(low)
    body.emit(VECTOR, SPLAT_I64)
    body.limb(high)
    body.emit(VECTOR, REPLACE_I64, 1)
    emitReversal(body)
    body.emit(VECTOR, STORE, 0, at)
  }
  store(16, word[0], word[1])
  store(0, word[2], word[3])
}
