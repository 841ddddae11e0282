// Division of words and of 512-bit products: Knuth's algorithm D (The Art of Computer Programming 4.3.1) on 32-bit
// digits, because WebAssembly divides 64 bits by 64. Limbs are little-endian, so the digits of a word are in order.
// `a` is the top of the stack, the result replaces the deepest operand.
import { multiplyWide } from './arithmetic.as'
import { add, copyWord, isLess, isWide, isZero, setSmall, setWord, subtract } from './words.as'

const zero = memory.data(32, 8)
const numerator = memory.data(72, 8)
const divisor = memory.data(32, 8)
const quotient = memory.data(72, 8)
/** Buffer for a sum or product of two words: 16 digits. */
const wide = memory.data(64, 8)

@inline
function digit(number: usize, index: i32): u64 {
  return <u64>load<u32>(number + ((<usize>index) << 2))
}

@inline
function setDigit(number: usize, index: i32, value: u64): void {
  store<u32>(number + ((<usize>index) << 2), <u32>value)
}

@inline
function significantDigits(number: usize, digits: i32): i32 {
  while (digits > 0 && digit(number, digits - 1) == 0) digits--
  return digits
}

/** to = from << bits over `digits` digits; bits < 32. Returns the digit that is shifted out. */
function normalise(to: usize, from: usize, digits: i32, bits: u64): u64 {
  let carry: u64 = 0
  for (let i = 0; i < digits; i++) {
    const value = (digit(from, i) << bits) | carry
    setDigit(to, i, value)
    carry = value >> 32
  }
  return carry
}

/** Divides by one digit. Leaves the remainder in `numerator`. */
function divideShort(from: usize, digits: i32, by: u64): void {
  let remainder: u64 = 0
  for (let i = digits - 1; i >= 0; i--) {
    const part = (remainder << 32) | digit(from, i)
    const share = part / by
    setDigit(quotient, i, share)
    remainder = part - share * by
  }
  setSmall(numerator, remainder)
}

/** numerator[at...] -= factor * divisor. Returns whether it went below zero. */
@inline
function subtractProduct(at: i32, digits: i32, factor: u64): bool {
  let carry: u64 = 0
  let borrow: u64 = 0
  for (let i = 0; i < digits; i++) {
    const product = factor * digit(divisor, i) + carry
    carry = product >> 32
    const part = digit(numerator, at + i) - (product & 0xffffffff) - borrow
    setDigit(numerator, at + i, part)
    borrow = part >> 63
  }
  const part = digit(numerator, at + digits) - carry - borrow
  setDigit(numerator, at + digits, part)
  return part >> 63 != 0
}

function addBack(at: i32, digits: i32): void {
  let carry: u64 = 0
  for (let i = 0; i < digits; i++) {
    const part = digit(numerator, at + i) + digit(divisor, i) + carry
    setDigit(numerator, at + i, part)
    carry = part >> 32
  }
  setDigit(numerator, at + digits, digit(numerator, at + digits) + carry)
}

/** Divides `from` (up to 16 digits) by a word that is not zero: `quotient`, and the remainder as a word in `numerator`. */
function divideDigits(from: usize, fromDigits: i32, by: usize): void {
  const n = significantDigits(by, 8)
  const m = significantDigits(from, fromDigits)
  // Only the low word of the quotient is ever read.
  setWord(quotient, 0, 0, 0, 0)
  if (m < n) {
    copyWord(numerator, from)
    return
  }
  if (n == 1) {
    divideShort(from, m, digit(by, 0))
    return
  }
  const bits = <u64>clz<u32>(<u32>digit(by, n - 1))
  normalise(divisor, by, n, bits)
  setDigit(numerator, m, normalise(numerator, from, m, bits))
  const first = digit(divisor, n - 1),
    second = digit(divisor, n - 2)
  for (let j = m - n; j >= 0; j--) {
    const top = (digit(numerator, j + n) << 32) | digit(numerator, j + n - 1)
    let estimate = top / first
    let rest = top - estimate * first
    while (
      estimate >> 32 != 0 ||
      estimate * second > ((rest << 32) | digit(numerator, j + n - 2))
    ) {
      estimate--
      rest += first
      if (rest >> 32 != 0) break
    }
    if (subtractProduct(j, n, estimate)) {
      estimate--
      addBack(j, n)
    }
    setDigit(quotient, j, estimate)
  }
  for (let i = 0; i < n; i++) {
    const above = i + 1 < n ? digit(numerator, i + 1) : 0
    setDigit(numerator, i, ((above << 32) | digit(numerator, i)) >> bits)
  }
  for (let i = n; i < 8; i++) setDigit(numerator, i, 0)
}

/** DIV: b = a / b, zero when b is zero. */
export function divide(a: usize, b: usize): void {
  if (isZero(b)) return
  if (!isWide(a) && !isWide(b)) {
    setSmall(b, load<u64>(a) / load<u64>(b))
    return
  }
  divideDigits(a, 8, b)
  copyWord(b, quotient)
}

/** MOD: b = a % b, zero when b is zero. */
export function modulo(a: usize, b: usize): void {
  if (isZero(b)) return
  if (!isWide(a) && !isWide(b)) {
    setSmall(b, load<u64>(a) % load<u64>(b))
    return
  }
  divideDigits(a, 8, b)
  copyWord(b, numerator)
}

@inline
function isNegative(word: usize): bool {
  return load<i64>(word, 24) < 0
}

@inline
function negate(word: usize): void {
  subtract(word, zero, word)
}

/** SDIV: b = a / b in two's complement, rounded to zero. */
export function divideSigned(a: usize, b: usize): void {
  const isResultNegative = isNegative(a) != isNegative(b)
  if (isNegative(a)) negate(a)
  if (isNegative(b)) negate(b)
  divide(a, b)
  if (isResultNegative) negate(b)
}

/** SMOD: b = a % b in two's complement, with the sign of a. */
export function moduloSigned(a: usize, b: usize): void {
  const isResultNegative = isNegative(a)
  if (isResultNegative) negate(a)
  if (isNegative(b)) negate(b)
  modulo(a, b)
  if (isResultNegative) negate(b)
}

/** ADDMOD: c = (a + b) % c without overflow, zero when c is zero. */
export function addModulo(a: usize, b: usize, c: usize): void {
  if (isZero(c)) return
  const hasOverflow = add(wide, a, b)
  if (isLess(a, c) && isLess(b, c)) {
    // The sum is below twice the modulus.
    if (hasOverflow || !isLess(wide, c)) subtract(c, wide, c)
    else copyWord(c, wide)
    return
  }
  store<u64>(wide, u64(hasOverflow), 32)
  divideDigits(wide, 10, c)
  copyWord(c, numerator)
}

/** MULMOD: c = (a * b) % c without overflow, zero when c is zero. */
export function multiplyModulo(a: usize, b: usize, c: usize): void {
  if (isZero(c)) return
  multiplyWide(wide, a, b)
  divideDigits(wide, 16, c)
  copyWord(c, numerator)
}
