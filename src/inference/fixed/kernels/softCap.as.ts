// Soft bounds, as in Gemma 2: cap * tanh(x / cap).
import { powerOfHalfFine } from './exponential.as'

/** 2 * log2(e) with 26 fractional bits. */
@inline const TWO_LOG2_E: i64 = 193635251

/**
 * cap * tanh(value / cap), both with the same number of fractional bits; the cap is from 1 to 2^31. The error is below cap * 2^-25
 * and one unit. From 16 caps on the result is the cap itself, less than cap * 2^-45 away.
 */
export function softCap(value: i64, cap: i64): i64 {
  const size = abs<i64>(value)
  if (size >= cap << 4) return value < 0 ? -cap : cap
  // size / cap as Q27 is below 2^31; its product with a number below 2^28 is 2 * log2(e) * size / cap as Q53.
  const ratio = (size << 27) / cap
  const power = powerOfHalfFine((ratio * TWO_LOG2_E) >> 23)
  const one: i64 = 1 << 30
  // tanh(y) = (1 - e^-2y) / (1 + e^-2y); the product is below 2^61.
  const bounded = (cap * (one - power)) / (one + power)
  return value < 0 ? -bounded : bounded
}

/** Bounds each number of a vector. */
export function softCapAll(x: usize, length: i32, cap: i64): void {
  for (let i = 0; i < length; i++) {
    const at = x + ((<usize>i) << 3)
    store<i64>(at, softCap(load<i64>(at), cap))
  }
}
