/** Random EVM programs that compute in a loop and return everything that they computed: a single wrong bit shows. */
import { COMPUTING, pick, Program, type Random } from './randomProgram.ts'

const JUMPDEST = 0x5b
const JUMP = 0x56
const JUMPI = 0x57
const XOR = 0x18
const PUSHING = [0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x41, 0x42, 0x43, 0x58, 0x59, 0x5a, 0x5f]
/** Minimum number of words on the stack between two statements, besides the counter at its bottom. */
const LEAST = 3

class Loop extends Program {
  readonly #random: Random

  constructor(random: Random, addresses: readonly Uint8Array[]) {
    super(random, addresses)
    this.#random = random
  }

  pushPlace(offset: number): void {
    this.push([offset >> 8, offset & 255])
  }

  /** Any number of words becomes `height` words, each of which depends on what was there. */
  level(height: number): void {
    while (this.height > height) this.op(pick(this.#random, [XOR, 0x01, 0x03]), 2, 1)
    while (this.height < height) this.pushValue()
  }

  /** A place in memory: mostly one that is in use, sometimes the next one, seldom far away. */
  pushOffset(): void {
    const random = this.#random
    if (random(30) === 0) this.pushSmall(3000)
    else if (random(60) === 0) this.pushValue()
    else this.pushSmall(pick(random, [64, 64, 200, 320]))
  }

  computing(): void {
    const random = this.#random
    const isDeep = this.height > 10
    switch (random(14)) {
      case 0:
        return isDeep ? this.op(XOR, 2, 1) : this.pushValue()
      case 1:
        return isDeep ? this.op(0x03, 2, 1) : this.op(pick(random, PUSHING), 0, 1)
      case 2:
        return this.op(0x80 + random(this.height - 1), 0, 1)
      case 3:
        return this.op(0x90 + random(this.height - 2), 0, 0)
      case 4:
        this.pushOffset()
        return this.op(0x52, 2, 0)
      case 5:
        this.pushOffset()
        return this.op(0x51, 1, 1)
      case 6:
        this.pushSmall(3)
        return this.op(0x54, 1, 1)
      case 7:
        this.pushSmall(3)
        return random(4) === 0 ? this.op(0x55, 2, 0) : this.op(XOR, 2, 1)
      case 8:
        this.pushSmall(70)
        this.pushSmall(200)
        return random(3) === 0 ? this.op(0x20, 2, 1) : this.op(0x03, 2, 1)
      case 9:
        this.pushSmall(300)
        return this.op(pick(random, [0x1b, 0x1c, 0x1d, 0x1a, 0x0b]), 2, 1)
      default: {
        const [opcode, takes] = pick(random, COMPUTING)
        if (random(3) === 0) this.pushValue()
        return this.op(opcode, takes, 1)
      }
    }
  }

  /** Statements that leave as many words as they find. */
  stretch(length: number): void {
    const { height } = this
    for (let i = 0; i < length; i++) {
      this.need(LEAST + 1)
      this.computing()
    }
    this.level(height)
  }

  /** Statements that are skipped when the word on top is not zero. */
  skip(): void {
    this.op(0x80, 0, 1)
    const at = this.code.length
    this.op(0x61, 0, 1)
    this.code.push(0, 0)
    this.op(JUMPI, 2, 0)
    this.stretch(1 + this.#random(4))
    this.patch(at + 1)
  }

  /** Statements that are called: they go back to where the stack says. */
  override call(): void {
    const at = this.code.length
    this.op(0x61, 0, 1)
    this.code.push(0, 0)
    this.pushPlace(this.code.length + 4)
    this.op(JUMP, 1, 0)
    this.op(JUMPDEST, 0, 0)
    // The way back is under the statements.
    const { height } = this
    this.stretch(1 + this.#random(3))
    while (this.height > height) this.op(XOR, 2, 1)
    this.op(JUMP, 1, 0)
    this.patch(at + 1)
  }

  patch(argument: number): void {
    this.code[argument] = this.code.length >> 8
    this.code[argument + 1] = this.code.length & 255
    this.op(JUMPDEST, 0, 0)
  }

  whole(): void {
    const random = this.#random
    const words = LEAST + random(5)
    // In memory from the beginning: the first words.
    this.op(0x5f, 0, 1)
    this.pushSmall(300)
    this.op(0x52, 2, 0)
    this.pushSmall(60)
    this.level(1 + words)
    const start = this.code.length
    this.op(JUMPDEST, 0, 0)
    for (let i = 1 + random(6); i > 0; i--)
      pick(random, [
        () => this.stretch(1 + random(8)),
        () => this.stretch(1 + random(8)),
        () => this.skip(),
        () => this.call(),
        () => (random(6) === 0 ? this.statement() : undefined),
      ])()
    this.level(1 + words)
    // The counter, down by one.
    this.op(0x8f + words, 0, 0)
    this.push([1])
    this.op(0x90, 0, 0)
    this.op(0x03, 2, 1)
    this.op(0x8f + words, 0, 0)
    this.op(0x80 + words, 0, 1)
    this.pushPlace(start)
    this.op(JUMPI, 2, 0)
    for (let i = 0; i <= words; i++) {
      this.pushSmall(32 * i + 1)
      this.op(0x52, 2, 0)
    }
    this.pushPlace(600)
    this.op(0x5f, 0, 1)
    this.op(pick(random, [0xf3, 0xf3, 0xf3, 0xfd]), 2, 0)
  }
}

/** A program that spends its gas in a loop, and knows some addresses. Occasionally, one of its bytes is changed. */
export function randomLoop(random: Random, addresses: readonly Uint8Array[]): Uint8Array {
  const program = new Loop(random, addresses)
  program.whole()
  const code = Uint8Array.from(program.code)
  if (random(10) === 0) code[random(code.length)] = random(256)
  return code
}
