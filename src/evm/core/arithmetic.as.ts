// Multiplication, powers and bit operations on words. `a` is the top of the stack, `b` the word under it; the result
// replaces `b`.
import { copyWord, isWide, isZero, setSmall, setWord } from './words.as'

/** The upper half of the 128-bit product: WebAssembly multiplies 64 bits into 64. */
@inline
function highProduct(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff,
    a1 = a >> 32,
    b0 = b & 0xffffffff,
    b1 = b >> 32
  const low = a0 * b0
  const middle = a1 * b0 + (low >> 32)
  const other = a0 * b1 + (middle & 0xffffffff)
  return a1 * b1 + (middle >> 32) + (other >> 32)
}

/** MUL: product = a * b, modulo 2^256. The operands may overlap the result. */
export function multiply(product: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a),
    a1 = load<u64>(a, 8),
    a2 = load<u64>(a, 16),
    a3 = load<u64>(a, 24)
  const b0 = load<u64>(b),
    b1 = load<u64>(b, 8),
    b2 = load<u64>(b, 16),
    b3 = load<u64>(b, 24)
  if ((a1 | a2 | a3 | b1 | b2 | b3) == 0) {
    const high = (a0 | b0) >> 32 == 0 ? 0 : highProduct(a0, b0)
    setWord(product, a0 * b0, high, 0, 0)
    return
  }
  let p1 = highProduct(a0, b0),
    p2: u64 = 0,
    p3: u64 = 0
  let low = a0 * b1,
    high = highProduct(a0, b1)
  p1 += low
  p2 = high + u64(p1 < low)
  low = a1 * b0
  high = highProduct(a1, b0)
  p1 += low
  high += u64(p1 < low)
  p2 += high
  p3 = u64(p2 < high)
  low = a0 * b2
  p2 += low
  p3 += highProduct(a0, b2) + u64(p2 < low)
  low = a1 * b1
  p2 += low
  p3 += highProduct(a1, b1) + u64(p2 < low)
  low = a2 * b0
  p2 += low
  p3 += highProduct(a2, b0) + u64(p2 < low)
  p3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  setWord(product, a0 * b0, p1, p2, p3)
}

/** The whole product, eight limbs. */
export function multiplyWide(product: usize, a: usize, b: usize): void {
  setWord(product, 0, 0, 0, 0)
  for (let i: usize = 0; i < 32; i += 8) {
    const factor = load<u64>(a + i)
    let carry: u64 = 0
    if (factor != 0) {
      for (let j: usize = 0; j < 32; j += 8) {
        const other = load<u64>(b + j),
          low = factor * other
        const sum = load<u64>(product + i + j) + low
        const total = sum + carry
        carry = highProduct(factor, other) + u64(sum < low) + u64(total < carry)
        store<u64>(product + i + j, total)
      }
    }
    store<u64>(product + i, carry, 32)
  }
}

/** Number of significant bytes; 0 for zero. */
export function byteLength(word: usize): u32 {
  for (let limb: i32 = 3; limb >= 0; limb--) {
    const value = load<u64>(word + ((<usize>limb) << 3))
    if (value != 0) return (limb << 3) + 8 - <u32>(clz(value) >> 3)
  }
  return 0
}

const power = memory.data(32, 8)

/** EXP: b = a ** b, by squaring from the highest bit on. */
export function exponentiate(a: usize, b: usize): void {
  if (isZero(b)) {
    setSmall(b, 1)
    return
  }
  let limb: i32 = 3
  while (load<u64>(b + ((<usize>limb) << 3)) == 0) limb--
  let bits = load<u64>(b + ((<usize>limb) << 3))
  let left = 63 - <i32>clz(bits)
  copyWord(power, a)
  while (true) {
    while (left > 0) {
      left--
      multiply(power, power, power)
      if ((bits >> left) & 1) multiply(power, power, a)
    }
    if (limb == 0) break
    limb--
    bits = load<u64>(b + ((<usize>limb) << 3))
    left = 64
  }
  copyWord(b, power)
}

/** SHL: b = b << a. */
export function shiftLeft(a: usize, b: usize): void {
  if (isWide(a) || load<u64>(a) > 255) {
    setSmall(b, 0)
    return
  }
  const count = load<u64>(a),
    limbs = count >> 6,
    bits = count & 63
  let w0 = load<u64>(b),
    w1 = load<u64>(b, 8),
    w2 = load<u64>(b, 16),
    w3 = load<u64>(b, 24)
  if (limbs & 1) {
    w3 = w2
    w2 = w1
    w1 = w0
    w0 = 0
  }
  if (limbs & 2) {
    w3 = w1
    w2 = w0
    w1 = 0
    w0 = 0
  }
  if (bits != 0) {
    const back = 64 - bits
    w3 = (w3 << bits) | (w2 >> back)
    w2 = (w2 << bits) | (w1 >> back)
    w1 = (w1 << bits) | (w0 >> back)
    w0 <<= bits
  }
  setWord(b, w0, w1, w2, w3)
}

/** SHR and SAR: b = b >> a, filled with zeros or with the sign. */
@inline
function shiftRightWith(a: usize, b: usize, fill: u64): void {
  if (isWide(a) || load<u64>(a) > 255) {
    setWord(b, fill, fill, fill, fill)
    return
  }
  const count = load<u64>(a),
    limbs = count >> 6,
    bits = count & 63
  let w0 = load<u64>(b),
    w1 = load<u64>(b, 8),
    w2 = load<u64>(b, 16),
    w3 = load<u64>(b, 24)
  if (limbs & 1) {
    w0 = w1
    w1 = w2
    w2 = w3
    w3 = fill
  }
  if (limbs & 2) {
    w0 = w2
    w1 = w3
    w2 = fill
    w3 = fill
  }
  if (bits != 0) {
    const back = 64 - bits
    w0 = (w0 >> bits) | (w1 << back)
    w1 = (w1 >> bits) | (w2 << back)
    w2 = (w2 >> bits) | (w3 << back)
    w3 = (w3 >> bits) | (fill << back)
  }
  setWord(b, w0, w1, w2, w3)
}

export function shiftRight(a: usize, b: usize): void {
  shiftRightWith(a, b, 0)
}

export function shiftRightSigned(a: usize, b: usize): void {
  shiftRightWith(a, b, <u64>(load<i64>(b, 24) >> 63))
}

/** BYTE: byte number a of b, counted from the most significant. */
export function byteAt(a: usize, b: usize): void {
  const index = load<u64>(a)
  const value = isWide(a) || index > 31 ? 0 : <u64>load<u8>(b + (31 - <usize>index))
  setSmall(b, value)
}

/** SIGNEXTEND: b as a signed number of a + 1 bytes. */
export function signExtend(a: usize, b: usize): void {
  const index = load<u64>(a)
  if (isWide(a) || index > 30) return
  const fill = <u8>(load<i8>(b + <usize>index) >> 7)
  memory.fill(b + <usize>index + 1, fill, 31 - <usize>index)
}

/** CLZ (EIP-7939): the number of leading zero bits; 256 for zero. */
export function countLeadingZeros(a: usize): void {
  let zeros: u64 = 0
  for (let limb: i32 = 3; limb >= 0; limb--) {
    const value = load<u64>(a + ((<usize>limb) << 3))
    zeros += clz(value)
    if (value != 0) break
  }
  setSmall(a, zeros)
}
