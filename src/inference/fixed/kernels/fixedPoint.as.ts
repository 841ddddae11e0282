// Numbers of the engine: i64 with 24 fractional bits ("Q24"), bounded by 2^16 in value, the range of half precision.
// The bound keeps every later product within 64 bits. No floating point anywhere in this module.

@inline export const FRACTION: i32 = 24
@inline export const LIMIT: i64 = (<i64>1) << 40

/** Saturates at the bound. */
@inline export function clamp(value: i64): i64 {
  return min<i64>(max<i64>(value, -LIMIT), LIMIT)
}

/** Number of significant bits of an unsigned number; 0 has none. */
@inline export function bitLength(value: u64): i32 {
  return 64 - <i32>clz<u64>(value)
}

/** value / 2^shift, rounded to the nearest, halves upwards. The shift is 0 to 62. */
@inline export function shiftRound(value: i64, shift: i32): i64 {
  if (shift == 0) return value
  return (value + ((<i64>1) << (<i64>(shift - 1)))) >> <i64>shift
}

/** value * 2^shift within the bound; a negative shift divides and rounds. */
@inline export function scale(value: i64, shift: i32): i64 {
  if (shift <= 0) return clamp(shiftRound(value, -shift))
  const limit = LIMIT >> <i64>shift
  return min<i64>(max<i64>(value, -limit), limit) << (<i64>shift)
}

/** The product of two Q24 numbers within the bound, as Q24. */
@inline export function multiply(a: i64, b: i64): i64 {
  const excess = bitLength(<u64>abs<i64>(a)) + bitLength(<u64>abs<i64>(b)) - 62
  if (excess <= 0) return clamp(shiftRound(a * b, FRACTION))
  // The larger factor loses its lowest bits, at most 20, so that the product does not lose its highest ones.
  if (abs<i64>(a) > abs<i64>(b)) a >>= <i64>excess
  else b >>= <i64>excess
  return clamp(shiftRound(a * b, FRACTION - excess))
}

/** Largest integer whose square does not exceed the value, which is below 2^62. */
export function squareRoot(value: u64): u64 {
  let root: u64 = 0
  let bit: u64 = (<u64>1) << 60
  let rest = value
  while (bit != 0) {
    if (rest >= root + bit) {
      rest -= root + bit
      root = (root >> 1) + bit
    } else root >>= 1
    bit >>= 2
  }
  return root
}
