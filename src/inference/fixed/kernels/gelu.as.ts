// GELU by its usual approximation, x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3)), which is 0.5 * x * (1 + tanh(...)).
import { FRACTION, multiply, shiftRound } from './fixedPoint.as'
import { powerOfHalfFine } from './exponential.as'

/** 0.044715 with 30 fractional bits. */
@inline const CUBIC: i64 = 48012366
/** 2 * sqrt(2 / pi) * log2(e) with 28 fractional bits. */
@inline const SLOPE: i64 = 617994307
/** From 8 on the sigmoid is 1 - 2^-71, which no number of the engine can tell from 1. */
@inline const FLAT: i64 = (<i64>8) << 24

/** GELU of a Q24 number. The error is below 2^-21. */
@inline function gelu(x: i64): i64 {
  const size = abs<i64>(x)
  if (size >= FLAT) return x < 0 ? 0 : x
  // Each factor is below 2^31, so no product exceeds 2^62.
  const square = (size * size) >> FRACTION
  const cube = (square * size) >> FRACTION
  const inner = size + ((cube * CUBIC) >> 30)
  const power = powerOfHalfFine((inner * SLOPE) >> (FRACTION + 28 - 30))
  const one: i64 = 1 << 30
  const sigmoid = ((x < 0 ? power : one) << 30) / (one + power)
  return shiftRound(x * sigmoid, 30)
}

/** gate = gelu(gate) * up. */
export function gateGelu(gates: usize, ups: usize, length: i32): void {
  for (let i = 0; i < length; i++) {
    const at = (<usize>i) << 3
    store<i64>(gates + at, multiply(gelu(load<i64>(gates + at)), load<i64>(ups + at)))
  }
}

/** x *= factor, a Q24 number. */
export function scaleAll(x: usize, factor: i64, length: i32): void {
  for (let i = 0; i < length; i++) {
    const at = x + ((<usize>i) << 3)
    store<i64>(at, multiply(load<i64>(at), factor))
  }
}
