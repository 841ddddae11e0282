/**
 * EVM code as a WebAssembly function that resumes a frame (D38b): (address of the frame, gas) -> remaining gas, or a
 * halt. The frame then tells where the interpreter resumes.
 *
 * Gas is charged for a stretch of instructions at once, before it starts. If there is not enough, if the stack is too
 * low or too high, or if something rare happens, the function stops before that instruction with the gas and the stack
 * as the interpreter would have them: all failures happen there.
 */
import { createBody } from './body.ts'
import { CORE_FUNCTIONS, FRAME } from './core.ts'
import { EMPTY_BLOCK, encodeModule, I32, I64, OP, V128, writeUnsigned } from './encoding.ts'
import { emitSuperblock } from './superblock.ts'
import { superblocksFrom } from './superblocks.ts'
import { LOCAL } from './locals.ts'

export type CompileRequest = {
  readonly code: Uint8Array
  /** Address of the code in the core's memory. */
  readonly codeAddress: number
  /** Address of a table with two bytes per byte of code: the number of the superblock that begins there; 0 for none. */
  readonly blocksAddress: number
  /** Offsets of jump targets that are hot. */
  readonly roots: readonly number[]
  /** The static gas of an opcode. */
  readonly staticGas: (opcode: number) => number
}

export type CompiledCode = {
  readonly module: Uint8Array
  /** Offsets of the superblocks; the first one has number 1. */
  readonly offsets: readonly number[]
}

const SELECT = 0x1b
const I64_GREATER_S = 0x55
const I32_SHIFT_LEFT = 0x74
const I32_NOT_EQUAL = 0x47
const BRANCH_TABLE = 0x0e
const LOOP = 0x03
const BLOCK = 0x02
const UNREACHABLE = 0x00

/** Compiles the superblocks around the roots. */
export function compileCode(request: CompileRequest): CompiledCode {
  const { code, codeAddress, blocksAddress, roots } = request
  const superblocks = superblocksFrom(code, roots)
  const offsets = superblocks.map(({ offset }) => offset)
  const numbers = new Map(offsets.map((offset, index) => [offset, index + 1]))
  const count = superblocks.length
  const body = createBody(2, [I32, I32, I32, I32, I64, I32, V128])
  const field = (offset: number, local: number): void => {
    body.get(LOCAL.frame)
    body.load32(offset)
    body.set(local)
  }

  // The frame has other code: this function was replaced in the table.
  body.get(LOCAL.frame)
  body.load32(FRAME.code)
  body.i32(codeAddress)
  body.emit(I32_NOT_EQUAL)
  body.if()
  body.get(LOCAL.gas)
  body.emit(OP.return, OP.end)
  field(FRAME.sp, LOCAL.sp)
  field(FRAME.stack, LOCAL.stack)
  body.get(LOCAL.frame)
  body.load64(FRAME.pause)
  body.tee(LOCAL.floor)
  body.i64(0n)
  body.get(LOCAL.floor)
  body.i64(0n)
  body.emit(I64_GREATER_S, SELECT)
  body.set(LOCAL.floor)
  body.get(LOCAL.frame)
  body.load32(FRAME.pc)
  body.i32(codeAddress)
  body.emit(OP.i32Sub)
  body.i32(1)
  body.emit(I32_SHIFT_LEFT)
  body.load16(blocksAddress)
  body.set(LOCAL.block)

  // loop { block unknown { block N { … block 1 { jump by number } superblock 1 } … superblock N } } }
  body.emit(LOOP, EMPTY_BLOCK)
  for (let i = 0; i <= count; i++) body.emit(BLOCK, EMPTY_BLOCK)
  body.get(LOCAL.block)
  body.emit(BRANCH_TABLE)
  writeUnsigned(body.bytes, count + 1)
  writeUnsigned(body.bytes, count)
  for (let i = 0; i < count; i++) writeUnsigned(body.bytes, i)
  writeUnsigned(body.bytes, count)
  for (const [index, superblock] of superblocks.entries()) {
    body.emit(OP.end)
    emitSuperblock(body, superblock, { ...request, numbers, loopDepth: count - index })
    body.recycle()
  }
  body.emit(OP.end)
  body.get(LOCAL.gas)
  body.emit(OP.return, OP.end, UNREACHABLE)
  const type = { parameters: [I32, I64], results: [I64] }
  return { module: encodeModule(CORE_FUNCTIONS, type, body.locals, body.bytes), offsets }
}
