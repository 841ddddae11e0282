/** One instruction that is not a jump. */
import { pushOr, small, wordOf, type Body, type Limb, type Word } from './body.ts'
import { ACCOUNT_ADDRESS, coreFunction, ENVIRONMENT_WORDS, FRAME } from './core.ts'
import { OP } from './encoding.ts'
import { LOCAL } from './locals.ts'
import { emitLoad, emitStore } from './memoryAccess.ts'
import type { Site } from './site.ts'
import { isPush } from './superblocks.ts'
import * as words from './wordArithmetic.ts'

type Binary = (body: Body, a: Word, b: Word) => Word

/** `a` is the top of the stack. */
const BINARY: ReadonlyMap<number, Binary> = new Map<number, Binary>([
  [0x01, words.add],
  [0x03, words.subtract],
  [0x10, (body, a, b) => words.less(body, a, b, false)],
  [0x11, (body, a, b) => words.less(body, b, a, false)],
  [0x12, (body, a, b) => words.less(body, a, b, true)],
  [0x13, (body, a, b) => words.less(body, b, a, true)],
  [0x14, words.equal],
  [0x16, words.and],
  [0x17, words.or],
  [0x18, words.exclusiveOr],
])

/** Functions of the core on the top words; the result replaces the lowest one. */
const IN_CORE: ReadonlyMap<number, { readonly index: number; readonly takes: number }> = new Map([
  [0x05, { index: coreFunction('divideSigned'), takes: 2 }],
  [0x07, { index: coreFunction('moduloSigned'), takes: 2 }],
  [0x08, { index: coreFunction('addModulo'), takes: 3 }],
  [0x09, { index: coreFunction('multiplyModulo'), takes: 3 }],
  [0x0b, { index: coreFunction('signExtend'), takes: 2 }],
  [0x1a, { index: coreFunction('byteAt'), takes: 2 }],
  [0x1b, { index: coreFunction('shiftLeft'), takes: 2 }],
  [0x1c, { index: coreFunction('shiftRight'), takes: 2 }],
  [0x1d, { index: coreFunction('shiftRightSigned'), takes: 2 }],
])

/** The instruction that multiplies or divides small words, and the core's function for others. */
const MOSTLY_SMALL: ReadonlyMap<number, { readonly instruction: number; readonly index: number }> =
  new Map([
    [0x02, { instruction: OP.i64Multiply, index: coreFunction('multiply') }],
    [0x04, { instruction: OP.i64DivideU, index: coreFunction('divide') }],
    [0x06, { instruction: OP.i64RemainderU, index: coreFunction('modulo') }],
  ])

function callInCore({ body, stack }: Site, index: number, takes: number): void {
  const top = stack.height()
  for (let i = 1; i <= takes; i++) stack.write(top - i)
  for (let i = 1; i <= takes; i++) stack.address(top - i)
  body.call(index)
  for (let i = 1; i < takes; i++) stack.pop()
  stack.forget(stack.height() - 1)
}

/** Whether both words and the product of them fit into one limb, or the divisor is not zero. */
function pushIsSmall(body: Body, a: Word, b: Word, isProduct: boolean): void {
  pushOr(body, [0n, a[1], a[2], a[3]])
  pushOr(body, [0n, b[1], b[2], b[3]])
  body.emit(OP.i64Or)
  if (isProduct) {
    body.limb(a[0])
    body.limb(b[0])
    body.emit(OP.i64Or)
    body.i64(32n)
    body.emit(OP.i64ShiftRightU, OP.i64Or, OP.i64Eqz)
    return
  }
  body.emit(OP.i64Eqz)
  body.limb(b[0])
  body.i64(0n)
  body.emit(OP.i64NotEqual, OP.i32And)
}

function emitMostlySmall({ body, stack }: Site, instruction: number, index: number): void {
  const isProduct = instruction === OP.i64Multiply
  const second = stack.height() - 2
  const [a, b] = [stack.peek(0), stack.peek(1)]
  const result = [0, 1, 2, 3].map((): { local: number } => {
    body.i64(0n)
    return body.keep() as { local: number }
  })
  const [low, ...high] = result as [{ local: number }, ...{ local: number }[]]
  pushIsSmall(body, a, b, isProduct)
  body.if()
  body.limb(a[0])
  body.limb(b[0])
  body.emit(instruction)
  body.set(low.local)
  body.emit(OP.else)
  stack.write(second + 1)
  stack.write(second)
  if (isProduct) stack.address(second)
  stack.address(second + 1)
  stack.address(second)
  body.call(index)
  for (const [limb, { local }] of [low, ...high].entries()) {
    body.get(LOCAL.base)
    body.load64(second * 32 + limb * 8)
    body.set(local)
  }
  body.emit(OP.end)
  // Only one of the two branches has written to memory.
  stack.distrust(second + 1)
  stack.distrust(second)
  stack.pop()
  stack.pop()
  stack.push(result as unknown as Word)
}

/** A function that charges its own gas; a halt ends the frame, whatever is on its stack. */
function callWithGas(body: Body, index: number): void {
  body.get(LOCAL.gas)
  body.call(index)
  body.tee(LOCAL.gas)
  body.i64(0n)
  body.emit(OP.i64LessS)
  body.if()
  body.get(LOCAL.gas)
  body.emit(OP.return, OP.end)
}

function emitKeccak({ body, stack }: Site): void {
  const top = stack.height() - 1
  stack.write(top)
  stack.write(top - 1)
  body.get(LOCAL.frame)
  stack.address(top)
  callWithGas(body, coreFunction('keccak'))
  stack.pop()
  stack.forget(top - 1)
}

function emitLoadSlot({ body, stack }: Site): void {
  const top = stack.height() - 1
  stack.write(top)
  body.get(LOCAL.frame)
  body.load32(FRAME.self)
  stack.address(top)
  callWithGas(body, coreFunction('loadSlot'))
  stack.forget(top)
}

function emitStoreSlot({ body, stack, exit }: Site): void {
  const top = stack.height() - 1
  body.get(LOCAL.frame)
  body.load32(FRAME.isStatic)
  body.if()
  exit()
  body.emit(OP.end)
  stack.write(top)
  stack.write(top - 1)
  body.get(LOCAL.frame)
  body.load32(FRAME.self)
  stack.address(top)
  stack.address(top - 1)
  callWithGas(body, coreFunction('storeSlot'))
  stack.pop()
  stack.pop()
}

function emitLoadInput({ body, stack }: Site): void {
  const top = stack.height() - 1
  stack.write(top)
  body.get(LOCAL.frame)
  stack.address(top)
  body.call(coreFunction('loadInput'))
  stack.forget(top)
}

function emitShift(site: Site, isLeft: boolean): void {
  const { body, stack } = site
  const [low, ...high] = stack.peek(0)
  if (typeof low !== 'bigint' || high.some((limb) => limb !== 0n)) {
    callInCore(site, coreFunction(isLeft ? 'shiftLeft' : 'shiftRight'), 2)
    return
  }
  stack.pop()
  const value = stack.pop()
  stack.push(low > 255n ? wordOf(0n) : words.shift(body, value, Number(low), isLeft))
}

/** The word of four limbs at an offset from the address on top. */
function loadWord(body: Body, pushAddress: () => void, offset: number): Word {
  const limb = (index: number): Limb => {
    pushAddress()
    body.load64(offset + index * 8)
    return body.keep()
  }
  return [limb(0), limb(1), limb(2), limb(3)]
}

/** The word pushed by an opcode that pops nothing; undefined for others. */
function pushed(
  { body, offset, argument, codeLength, prepaid }: Site,
  opcode: number,
): Word | undefined {
  const frameWord = (at: number): Word => loadWord(body, () => body.get(LOCAL.frame), at)
  const field = (at: number): Word => {
    body.get(LOCAL.frame)
    body.load32(at)
    body.emit(OP.i64Extend)
    return small(body.keep())
  }
  if (isPush(opcode)) return wordOf(argument)
  const environment = ENVIRONMENT_WORDS.get(opcode)
  if (environment !== undefined) return loadWord(body, () => body.i32(environment), 0)
  switch (opcode) {
    case 0x30: {
      const pushSelf = (): void => {
        body.get(LOCAL.frame)
        body.load32(FRAME.self)
      }
      return loadWord(body, pushSelf, ACCOUNT_ADDRESS)
    }
    case 0x33:
      return frameWord(FRAME.caller)
    case 0x34:
      return frameWord(FRAME.value)
    case 0x36:
      return field(FRAME.inputLength)
    case 0x38:
      return wordOf(BigInt(codeLength))
    case 0x58:
      return wordOf(BigInt(offset))
    case 0x59:
      return field(FRAME.memorySize)
    case 0x5a:
      body.get(LOCAL.gas)
      body.i64(BigInt(prepaid))
      body.emit(OP.i64Add)
      return small(body.keep())
    default:
      return undefined
  }
}

/** Emits an instruction. Throws RangeError for one that is not covered (opcodes.ts). */
export function emitOperation(site: Site, opcode: number): void {
  const { body, stack } = site
  const word = pushed(site, opcode)
  if (word !== undefined) return stack.push(word)
  const binary = BINARY.get(opcode)
  if (binary !== undefined) {
    const [a, b] = [stack.pop(), stack.pop()]
    return stack.push(binary(body, a, b))
  }
  const mostlySmall = MOSTLY_SMALL.get(opcode)
  if (mostlySmall !== undefined)
    return emitMostlySmall(site, mostlySmall.instruction, mostlySmall.index)
  if (opcode === 0x1b || opcode === 0x1c) return emitShift(site, opcode === 0x1b)
  const inCore = IN_CORE.get(opcode)
  if (inCore !== undefined) return callInCore(site, inCore.index, inCore.takes)
  if (opcode >= 0x80 && opcode <= 0x8f) return stack.push(stack.peek(opcode - 0x80))
  if (opcode >= 0x90 && opcode <= 0x9f) return stack.swap(opcode - 0x8f)
  switch (opcode) {
    case 0x15:
      return stack.push(words.isZero(body, stack.pop()))
    case 0x19:
      return stack.push(words.not(body, stack.pop()))
    case 0x20:
      return emitKeccak(site)
    case 0x35:
      return emitLoadInput(site)
    case 0x50:
      return void stack.pop()
    case 0x51:
      return emitLoad(site)
    case 0x52:
      return emitStore(site)
    case 0x54:
      return emitLoadSlot(site)
    case 0x55:
      return emitStoreSlot(site)
    case 0x5b:
      return
    default:
      throw new RangeError(`opcode ${opcode} is not compiled`)
  }
}
