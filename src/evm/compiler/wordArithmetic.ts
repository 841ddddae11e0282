/** Operations on words whose limbs are in local variables. Known limbs are folded: most words are small. */
import { known, operate, pushOr, small, type Body, type Limb, type Word } from './body.ts'
import { OP } from './encoding.ts'

const ALL = known(-1n)

function limbs(make: (index: number) => Limb): Word {
  return [make(0), make(1), make(2), make(3)]
}

const at = (word: Word, index: number): Limb => word[index] as Limb

/** Stores the i32 on top as a limb of 0 or 1. */
function keepFlag(body: Body): Limb {
  body.emit(OP.i64Extend)
  return body.keep()
}

function isLess(body: Body, a: Limb, b: Limb): Limb {
  if (b === 0n) return 0n
  body.limb(a)
  body.limb(b)
  body.emit(OP.i64LessU)
  return keepFlag(body)
}

function either(body: Body, a: Limb, b: Limb): Limb {
  if (a === 0n) return b
  return b === 0n ? a : operate(body, OP.i64Or, a, b)
}

export function add(body: Body, a: Word, b: Word): Word {
  let carry: Limb = 0n
  return limbs((index) => {
    const [x, y] = [at(a, index), at(b, index)]
    const sum = x === 0n ? y : y === 0n ? x : operate(body, OP.i64Add, x, y)
    const over = x === 0n || y === 0n || index === 3 ? 0n : isLess(body, sum, y)
    const total = carry === 0n ? sum : operate(body, OP.i64Add, sum, carry)
    const overAgain = carry === 0n || index === 3 ? 0n : isLess(body, total, carry)
    carry = either(body, over, overAgain)
    return total
  })
}

export function subtract(body: Body, a: Word, b: Word): Word {
  let borrow: Limb = 0n
  return limbs((index) => {
    const [x, y] = [at(a, index), at(b, index)]
    const difference = y === 0n ? x : operate(body, OP.i64Sub, x, y)
    const under = index === 3 ? 0n : isLess(body, x, y)
    const total = borrow === 0n ? difference : operate(body, OP.i64Sub, difference, borrow)
    const underAgain = borrow === 0n || index === 3 ? 0n : isLess(body, difference, borrow)
    borrow = either(body, under, underAgain)
    return total
  })
}

/** Unsigned or two's complement a < b. */
export function less(body: Body, a: Word, b: Word, isSigned: boolean): Word {
  body.limb(a[0])
  body.limb(b[0])
  body.emit(OP.i64LessU)
  for (let index = 1; index < 4; index++) {
    const [x, y] = [at(a, index), at(b, index)]
    if (x === 0n && y === 0n) continue
    body.limb(x)
    body.limb(y)
    body.emit(OP.i64Eq, OP.i32And)
    body.limb(x)
    body.limb(y)
    body.emit(isSigned && index === 3 ? OP.i64LessS : OP.i64LessU, OP.i32Or)
  }
  return small(keepFlag(body))
}

export function equal(body: Body, a: Word, b: Word): Word {
  return isZero(body, exclusiveOr(body, a, b))
}

export function isZero(body: Body, a: Word): Word {
  pushOr(body, a)
  body.emit(OP.i64Eqz)
  return small(keepFlag(body))
}

export function and(body: Body, a: Word, b: Word): Word {
  return limbs((index) => {
    const [x, y] = [at(a, index), at(b, index)]
    if (x === 0n || y === 0n) return 0n
    if (x === ALL) return y
    return y === ALL ? x : operate(body, OP.i64And, x, y)
  })
}

export function or(body: Body, a: Word, b: Word): Word {
  return limbs((index) => either(body, at(a, index), at(b, index)))
}

export function exclusiveOr(body: Body, a: Word, b: Word): Word {
  return limbs((index) => {
    const [x, y] = [at(a, index), at(b, index)]
    if (x === 0n) return y
    return y === 0n ? x : operate(body, OP.i64Xor, x, y)
  })
}

export function not(body: Body, a: Word): Word {
  return exclusiveOr(body, a, [ALL, ALL, ALL, ALL])
}

function shifted(body: Body, instruction: number, limb: Limb, bits: number): Limb {
  if (limb === 0n || bits === 0) return limb
  return operate(body, instruction, limb, BigInt(bits))
}

/** a << count or a >> count for a known count below 256. */
export function shift(body: Body, a: Word, count: number, isLeft: boolean): Word {
  const whole = count >> 6
  const bits = count & 63
  const [toward, back] = isLeft
    ? [OP.i64ShiftLeft, OP.i64ShiftRightU]
    : [OP.i64ShiftRightU, OP.i64ShiftLeft]
  const limbAt = (index: number): Limb => (index < 0 || index > 3 ? 0n : at(a, index))
  return limbs((index) => {
    const from = isLeft ? index - whole : index + whole
    const main = shifted(body, toward, limbAt(from), bits)
    if (bits === 0) return main
    return either(body, main, shifted(body, back, limbAt(isLeft ? from - 1 : from + 1), 64 - bits))
  })
}
