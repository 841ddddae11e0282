/** Jumps: to a superblock by its number, or back to the interpreter, which handles all jump targets. */
import { pushOr, type Word } from './body.ts'
import { OP } from './encoding.ts'
import { LOCAL } from './locals.ts'
import type { Site } from './site.ts'

export type JumpContext = {
  readonly blocksAddress: number
  readonly numbers: ReadonlyMap<number, number>
  /** Jumps to a superblock from `depth` nested WebAssembly blocks. */
  readonly goTo: (number: number, depth: number) => void
  /** Jumps to the superblock whose number is in LOCAL.block. */
  readonly goOn: () => void
}

const I32_SHIFT_LEFT = 0x74

/** The value of a word all of whose limbs are known. */
function knownValue(word: Word): bigint | undefined {
  let value = 0n
  for (const [index, limb] of word.entries()) {
    if (typeof limb !== 'bigint') return undefined
    value |= limb << BigInt(index * 64)
  }
  return value
}

function numberOf(word: Word, { numbers }: JumpContext): number | undefined {
  const target = knownValue(word)
  return target === undefined ? undefined : numbers.get(Number(target))
}

export function emitJump(site: Site, context: JumpContext): void {
  const { body, stack, codeLength, exit } = site
  const target = stack.peek(0)
  const number = numberOf(target, context)
  if (number !== undefined) {
    stack.pop()
    stack.flush()
    context.goTo(number, 0)
    return
  }
  if (knownValue(target) !== undefined) {
    exit()
    return
  }
  pushOr(body, target, 1)
  body.i64(0n)
  body.emit(OP.i64NotEqual)
  body.limb(target[0])
  body.i64(BigInt(codeLength - 1))
  body.emit(OP.i64GreaterU, OP.i32Or)
  body.if()
  exit()
  body.emit(OP.end)
  body.limb(target[0])
  body.emit(OP.i32Wrap)
  body.i32(1)
  body.emit(I32_SHIFT_LEFT)
  body.load16(context.blocksAddress)
  body.tee(LOCAL.block)
  body.emit(OP.i32Eqz)
  body.if()
  exit()
  body.emit(OP.end)
  stack.pop()
  stack.flush()
  context.goOn()
}

export function emitJumpIf(site: Site, context: JumpContext): void {
  const { body, stack, exit } = site
  const number = numberOf(stack.peek(0), context)
  const condition = stack.peek(1)
  const pushCondition = (): void => {
    pushOr(body, condition)
    body.i64(0n)
    body.emit(OP.i64NotEqual)
  }
  if (number === undefined) {
    pushCondition()
    body.if()
    exit()
    body.emit(OP.end)
    stack.pop()
    stack.pop()
    return
  }
  stack.pop()
  stack.pop()
  stack.flush()
  pushCondition()
  body.if()
  context.goTo(number, 1)
  body.emit(OP.end)
}
