// The parts of a layer other than matrices: root mean square norm, rotary positions, SiLU, addition.
import { FRACTION, bitLength, clamp, multiply, shiftRound, squareRoot } from './fixedPoint.as'
import { LOG2_E, powerOfHalf } from './exponential.as'

/** Fractional bits of sines and cosines. */
@inline const ANGLE: i32 = 22

/**
 * x / sqrt(mean(x^2) + epsilon) * gain. Gains are i32, divided by 2^gainBits (24 for gains below 2^7); epsilon is Q48; at most
 * 32,768 values.
 */
export function normalize(
  x: usize,
  gains: usize,
  gainBits: i32,
  epsilon: i64,
  length: i32,
  target: usize,
): void {
  let most: u64 = 0
  for (let i = 0; i < length; i++)
    most = max<u64>(most, <u64>abs<i64>(load<i64>(x + ((<usize>i) << 3))))
  // 24 bits per value keep the sum of the squares within 63.
  const shift = max<i32>(bitLength(most) - 24, 0)
  let squares: u64 = 0
  for (let i = 0; i < length; i++) {
    const value = load<i64>(x + ((<usize>i) << 3)) >> <i64>shift
    squares += <u64>(value * value)
  }
  const mean = squares / <u64>length + (<u64>epsilon >> <u64>(2 * shift))
  // Scaled by 4^up to 61 or 62 bits, so that its root has 31.
  const up = mean == 0 ? 0 : max<i32>((62 - bitLength(mean)) >> 1, 0)
  const root = squareRoot(mean << (<u64>(2 * up)))
  const inverse: i64 = root == 0 ? 0 : <i64>(((<u64>1) << 60) / root)
  // value * inverse / 2^(60 - up) is the normalized value, below sqrt(length) as Q24, 2^32; its product with a gain fits.
  for (let i = 0; i < length; i++) {
    const value = load<i64>(x + ((<usize>i) << 3)) >> <i64>shift
    const unit = shiftRound(value * inverse, 60 - FRACTION - up)
    store<i64>(
      target + ((<usize>i) << 3),
      clamp(shiftRound(unit * <i64>load<i32>(gains + ((<usize>i) << 2)), gainBits)),
    )
  }
}

/** Rotates each pair of each head by its angle. `angles` holds cosine and sine of the position's pairs, Q22. */
export function rotate(x: usize, heads: i32, headSize: i32, angles: usize): void {
  for (let head = 0; head < heads; head++) {
    for (let pair = 0; pair < headSize >> 1; pair++) {
      const cos = <i64>load<i32>(angles + ((<usize>pair) << 3))
      const sin = <i64>load<i32>(angles + ((<usize>pair) << 3), 4)
      const a = load<i64>(x)
      const b = load<i64>(x, 8)
      store<i64>(x, clamp(shiftRound(a * cos - b * sin, ANGLE)))
      store<i64>(x, clamp(shiftRound(a * sin + b * cos, ANGLE)), 8)
      x += 16
    }
  }
}

/** x * sigmoid(x). */
@inline function silu(x: i64): i64 {
  const power = powerOfHalf((abs<i64>(x) * LOG2_E) >> <i64>FRACTION)
  const one: i64 = 1 << 30
  const sigmoid = ((x < 0 ? power : one) << 22) / (one + power)
  return shiftRound(x * sigmoid, 22)
}

/** gate = silu(gate) * up. */
export function gate(gates: usize, ups: usize, length: i32): void {
  for (let i = 0; i < length; i++) {
    const at = (<usize>i) << 3
    store<i64>(gates + at, multiply(silu(load<i64>(gates + at)), load<i64>(ups + at)))
  }
}

/** x += y. */
export function accumulate(x: usize, y: usize, length: i32): void {
  for (let i = 0; i < length; i++) {
    const at = (<usize>i) << 3
    store<i64>(x + at, clamp(load<i64>(x + at) + load<i64>(y + at)))
  }
}
