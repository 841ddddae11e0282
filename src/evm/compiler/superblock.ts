/** The instructions of one superblock, with the gas and the stack bounds of all of them checked up front. */
import type { Body } from './body.ts'
import { FRAME } from './core.ts'
import { OP } from './encoding.ts'
import { emitJump, emitJumpIf } from './jumps.ts'
import { LOCAL } from './locals.ts'
import { hasDynamicGas, JUMP, JUMPI, stackUse } from './opcodes.ts'
import { emitOperation } from './operations.ts'
import type { Site } from './site.ts'
import { createSymbolicStack } from './stack.ts'
import type { Superblock } from './superblocks.ts'

export type SuperblockContext = {
  readonly code: Uint8Array
  readonly codeAddress: number
  readonly blocksAddress: number
  readonly staticGas: (opcode: number) => number
  /** Numbers of the superblocks by their offsets. */
  readonly numbers: ReadonlyMap<number, number>
  /** Number of enclosing blocks up to the loop that jumps by number. */
  readonly loopDepth: number
}

const STACK_LIMIT = 1024
const WORD = 32

/** Words needed below the entry, and how far above it the stack grows. */
function stackBounds({ instructions }: Superblock): { need: number; growth: number } {
  let height = 0
  let need = 0
  let growth = 0
  for (const { opcode } of instructions) {
    const { takes, puts } = stackUse(opcode)
    need = Math.max(need, takes - height)
    height += puts - takes
    growth = Math.max(growth, height)
  }
  return { need, growth }
}

/**
 * For each instruction: the cost of the stretch that begins there, undefined in the middle of one, and the already paid
 * cost of those after it in its stretch. A stretch ends where control flow may branch or the price is not known in
 * advance.
 */
function gasOfStretches(
  { instructions }: Superblock,
  staticGas: (opcode: number) => number,
): { readonly cost: number | undefined; readonly prepaid: number }[] {
  const stretches: { cost: number | undefined; prepaid: number }[] = []
  let prepaid = 0
  for (const [index, { opcode }] of [...instructions.entries()].reverse()) {
    if (opcode === JUMPI || hasDynamicGas(opcode)) prepaid = 0
    const before = index === 0 ? JUMPI : (instructions[index - 1]?.opcode ?? JUMPI)
    const isFirst = before === JUMPI || hasDynamicGas(before)
    const cost = prepaid + staticGas(opcode)
    stretches.unshift({ cost: isFirst ? cost : undefined, prepaid })
    prepaid = cost
  }
  return stretches
}

/** Hands the frame over to the interpreter at an offset; `refund` is the gas already paid for what it will execute. */
function emitExit(body: Body, pc: number, height: number, refund: number): void {
  body.get(LOCAL.frame)
  body.i32(pc)
  body.store32(FRAME.pc)
  body.get(LOCAL.frame)
  body.get(LOCAL.base)
  body.i32(height * WORD)
  body.emit(OP.i32Add)
  body.store32(FRAME.sp)
  body.get(LOCAL.gas)
  if (refund > 0) {
    body.i64(BigInt(refund))
    body.emit(OP.i64Add)
  }
  body.emit(OP.return)
}

/** Emits a superblock. All its paths end with a jump to another one, or exit the function. */
export function emitSuperblock(
  body: Body,
  superblock: Superblock,
  context: SuperblockContext,
): void {
  const { codeAddress, numbers, loopDepth } = context
  const { need, growth } = stackBounds(superblock)
  const stretches = gasOfStretches(superblock, context.staticGas)
  const stack = createSymbolicStack(body, LOCAL.base, need)

  body.get(LOCAL.sp)
  body.i32(need * WORD)
  body.emit(OP.i32Sub)
  body.set(LOCAL.base)
  body.get(LOCAL.base)
  body.get(LOCAL.stack)
  body.emit(OP.i32Sub)
  body.i32((STACK_LIMIT - growth - need) * WORD)
  body.emit(OP.i32GreaterU)
  body.if()
  emitExit(body, codeAddress + superblock.offset, need, 0)
  body.emit(OP.end)

  function setStackPointer(): void {
    body.get(LOCAL.base)
    body.i32(stack.height() * WORD)
    body.emit(OP.i32Add)
    body.set(LOCAL.sp)
  }
  function goTo(number: number, depth: number): void {
    setStackPointer()
    body.i32(number)
    body.set(LOCAL.block)
    body.branch(loopDepth + depth)
  }
  function goOn(): void {
    setStackPointer()
    body.branch(loopDepth)
  }

  for (const [index, { offset, opcode, argument }] of superblock.instructions.entries()) {
    const { cost, prepaid } = stretches[index] ?? { cost: undefined, prepaid: 0 }
    const exit = (refund: number): void => {
      stack.flushAside()
      emitExit(body, codeAddress + offset, stack.height(), refund)
    }
    if (cost !== undefined && cost > 0) {
      body.get(LOCAL.gas)
      body.i64(BigInt(cost))
      body.emit(OP.i64Sub)
      body.tee(LOCAL.gas)
      body.get(LOCAL.floor)
      body.emit(OP.i64LessS)
      body.if()
      exit(cost)
      body.emit(OP.end)
    }
    const site: Site = {
      body,
      stack,
      offset,
      argument,
      codeLength: context.code.length,
      prepaid,
      exit: () => exit(prepaid + context.staticGas(opcode)),
    }
    if (opcode === JUMP) {
      emitJump(site, { ...context, goTo, goOn })
      return
    }
    if (opcode === JUMPI) emitJumpIf(site, { ...context, goTo, goOn })
    else emitOperation(site, opcode)
  }
  stack.flush()
  const next = numbers.get(superblock.end)
  if (next === undefined) emitExit(body, codeAddress + superblock.end, stack.height(), 0)
  else goTo(next, 0)
}
