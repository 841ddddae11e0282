/** Random EVM programs that mostly run: they keep the stack filled, jump to places that exist and call contracts that are there. */

/** Integers from a seed: below `limit`, always the same ones for the same seed (mulberry32). */
export type Random = (limit: number) => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)] as T
}

/** Opcodes that only compute: opcode, how many words they take (all put one). */
export const COMPUTING: readonly (readonly [number, number])[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 0xa, 0xb].map((opcode) => [opcode, 2] as const),
  ...[8, 9].map((opcode) => [opcode, 3] as const),
  ...[0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18].map((opcode) => [opcode, 2] as const),
  ...[0x1a, 0x1b, 0x1c, 0x1d].map((opcode) => [opcode, 2] as const),
  ...[0x15, 0x19, 0x1e, 0x35, 0x40, 0x49, 0x5c].map((opcode) => [opcode, 1] as const),
]
/** Opcodes that push a value of the environment. */
const PUSHING = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
  0x4a, 0x58, 0x59, 0x5a, 0x5f,
]
const ACCOUNT_READING = [0x31, 0x3b, 0x3f]
const CALLING = [0xf1, 0xf1, 0xf2, 0xf4, 0xfa]

/** A program in the making, and how many words its stack has. */
export class Program {
  readonly code: number[] = []
  height = 0
  readonly #random: Random
  readonly #addresses: readonly Uint8Array[]

  constructor(random: Random, addresses: readonly Uint8Array[]) {
    this.#random = random
    this.#addresses = addresses
  }

  push(bytes: readonly number[] | Uint8Array): void {
    this.code.push(0x5f + bytes.length, ...bytes)
    this.height++
  }

  pushSmall(limit: number): void {
    const value = this.#random(limit)
    this.push(value < 256 ? [value] : [value >> 8, value & 255])
  }

  pushAddress(): void {
    this.push(pick(this.#random, this.#addresses))
  }

  /** Values at the edges of what opcodes distinguish, and any others. */
  pushValue(): void {
    const random = this.#random
    const length = 1 + random(32)
    switch (random(7)) {
      case 0:
        return this.pushSmall(4)
      case 1:
        return this.push(Array.from({ length }, () => 0xff))
      case 2:
        return this.push([0x80, ...Array.from({ length: length - 1 }, () => 0)])
      case 3:
        return this.push([0x7f, ...Array.from({ length: length - 1 }, () => 0xff)])
      case 4:
        return this.pushSmall(600)
      default:
        return this.push(Array.from({ length }, () => random(256)))
    }
  }

  need(words: number): void {
    while (this.height < words) this.pushValue()
  }

  op(opcode: number, takes: number, puts: number): void {
    this.code.push(opcode)
    this.height += puts - takes
  }

  /** One statement of a program. */
  statement(): void {
    const random = this.#random
    switch (random(26)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        const [opcode, takes] = pick(random, COMPUTING)
        if (random(2) === 0) this.pushValue()
        this.need(takes)
        return this.op(opcode, takes, 1)
      }
      case 5:
        return this.op(pick(random, PUSHING), 0, 1)
      case 6:
        return this.pushValue()
      case 7: {
        const depth = 1 + random(16)
        this.need(depth + 1)
        return random(2) === 0
          ? this.op(0x7f + depth, depth, depth + 1)
          : this.op(0x8f + depth, depth + 1, depth + 1)
      }
      case 8:
        this.need(1)
        this.pushSmall(300)
        return this.op(pick(random, [0x52, 0x53]), 2, 0)
      case 9:
        this.pushSmall(300)
        return this.op(0x51, 1, 1)
      case 10:
        this.pushSmall(200)
        this.pushSmall(300)
        return this.op(0x20, 2, 1)
      case 11:
      case 12:
        if (random(3) === 0) this.pushSmall(2)
        this.need(1)
        this.pushSmall(4)
        return this.op(0x55, 2, 0)
      case 13:
        this.pushSmall(5)
        return this.op(0x54, 1, 1)
      case 14:
        this.need(1)
        this.pushSmall(3)
        return this.op(0x5d, 2, 0)
      case 15:
        this.pushAddress()
        return this.op(pick(random, ACCOUNT_READING), 1, 1)
      case 16:
        this.pushSmall(80)
        this.pushSmall(100)
        this.pushSmall(200)
        return this.op(pick(random, [0x37, 0x39, 0x5e, 0x5e]), 3, 0)
      case 17:
        this.pushSmall(40)
        this.pushSmall(8)
        this.pushSmall(200)
        return this.op(0x3e, 3, 0)
      case 18:
        this.pushSmall(80)
        this.pushSmall(60)
        this.pushSmall(200)
        this.pushAddress()
        return this.op(0x3c, 4, 0)
      case 19: {
        const topics = random(5)
        this.need(topics)
        this.pushSmall(80)
        this.pushSmall(100)
        return this.op(0xa0 + topics, topics + 2, 0)
      }
      case 20:
      case 21:
        return this.call()
      case 22:
        return this.create()
      case 23:
        return this.branch()
      case 24:
        return this.loop()
      default:
        if (this.height > 1) this.op(0x50, 1, 0)
    }
  }

  call(): void {
    const random = this.#random
    const opcode = pick(random, CALLING)
    for (let i = 0; i < 4; i++) this.pushSmall(i % 2 === 0 ? 70 : 150)
    if (opcode === 0xf1 || opcode === 0xf2) this.pushSmall(pick(random, [1, 1, 3, 40]))
    this.pushAddress()
    if (random(3) === 0) this.pushSmall(60_000)
    else this.op(0x5a, 0, 1)
    const takes = opcode === 0xf1 || opcode === 0xf2 ? 7 : 6
    this.op(opcode, takes, 1)
  }

  /** Init code is a part of the code itself, or a few bytes that return something. */
  create(): void {
    const random = this.#random
    if (random(2) === 0) {
      // MSTORE of "PUSH1 n, PUSH1 m, RETURN" or of anything.
      this.push(
        pick(random, [
          [0x60, random(60), 0x60, random(40), 0xf3],
          [0x33, 0xff],
          [0xfe],
          [0x60, 0xef, 0x5f, 0x53, 0x60, 1, 0x5f, 0xf3],
        ]),
      )
      this.pushSmall(2)
      this.op(0x52, 2, 0)
    } else {
      this.pushSmall(120)
      this.pushSmall(120)
      this.pushSmall(2)
      this.op(0x39, 3, 0)
    }
    const isSalted = random(2) === 0
    if (isSalted) this.pushSmall(3)
    this.pushSmall(120)
    this.pushSmall(32)
    this.pushSmall(pick(random, [1, 3]))
    this.op(isSalted ? 0xf5 : 0xf0, isSalted ? 4 : 3, 1)
    if (random(3) === 0) {
      // Calls what it created.
      for (let i = 0; i < 5; i++) this.op(0x5f, 0, 1)
      this.op(0x85, 6, 7)
      this.op(0x5a, 0, 1)
      this.op(0xf1, 7, 1)
    }
  }

  /** Skips some statements when the top of the stack is not zero. */
  branch(): void {
    this.need(1)
    const at = this.code.length
    this.code.push(0x61, 0, 0, 0x57)
    this.height--
    const height = this.height
    for (let i = this.#random(3); i >= 0; i--) this.statement()
    while (this.height > height) this.op(0x50, 1, 0)
    // Statements take words from below too: then the two ways differ, which is as good.
    this.height = Math.min(this.height, height)
    this.#land(at + 1)
  }

  /** Runs some computing a few times: a counter is counted down at the bottom of the loop. */
  loop(): void {
    this.pushSmall(6)
    const start = this.code.length
    this.op(0x5b, 0, 0)
    const height = this.height
    for (let i = 0; i < 3; i++) {
      this.pushValue()
      this.pushValue()
      this.op(
        pick(
          this.#random,
          COMPUTING.filter(([, takes]) => takes === 2),
        )[0],
        2,
        1,
      )
      this.op(0x50, 1, 0)
    }
    this.height = height
    // counter - 1, kept when not zero
    this.push([1])
    this.op(0x90, 2, 2)
    this.op(0x03, 2, 1)
    this.op(0x80, 1, 2)
    this.push([start >> 8, start & 255])
    this.op(0x57, 2, 0)
  }

  #land(argument: number): void {
    const target = this.code.length
    this.code[argument] = target >> 8
    this.code[argument + 1] = target & 255
    this.code.push(0x5b)
  }

  end(): void {
    const random = this.#random
    switch (random(10)) {
      case 0:
        return this.op(0x00, 0, 0)
      case 1:
        this.pushAddress()
        return this.op(0xff, 1, 0)
      case 2:
        return this.op(pick(random, [0xfe, 0x0c, 0x21, 0xef]), 0, 0)
      case 3:
        this.pushSmall(70)
        this.pushSmall(40)
        return this.op(0xfd, 2, 0)
      default:
        this.pushSmall(70)
        this.pushSmall(40)
        return this.op(0xf3, 2, 0)
    }
  }
}

/** A program that knows some addresses. Occasionally, one of its bytes is changed. */
export function randomProgram(random: Random, addresses: readonly Uint8Array[]): Uint8Array {
  const program = new Program(random, addresses)
  for (let i = 3 + random(25); i > 0; i--) program.statement()
  program.end()
  const code = Uint8Array.from(program.code)
  if (random(8) === 0) code[random(code.length)] = random(256)
  return code
}
