// Rotary positions where number i of the first half of a head and number i of the second are a pair, as in Qwen, Phi and Gemma.
import { clamp, shiftRound } from './fixedPoint.as'

/** Fractional bits of sines and cosines. */
@inline const ANGLE: i32 = 22

/**
 * Rotates the first 2 * pairs numbers of each head, the rest stays. `angles` holds cosine and sine of the position's pairs, Q22,
 * at most 2^26. Each product stays below 2^63; with a gain above 1 their sum may wrap, as docs/arithmetic.md defines.
 */
export function rotateHalves(x: usize, heads: i32, headSize: i32, pairs: i32, angles: usize): void {
  const distance = (<usize>pairs) << 3
  for (let head = 0; head < heads; head++) {
    for (let pair: usize = 0; pair < <usize>pairs; pair++) {
      const cos = <i64>load<i32>(angles + (pair << 3))
      const sin = <i64>load<i32>(angles + (pair << 3), 4)
      const first = x + (pair << 3)
      const second = first + distance
      const a = load<i64>(first)
      const b = load<i64>(second)
      store<i64>(first, clamp(shiftRound(a * cos - b * sin, ANGLE)))
      store<i64>(second, clamp(shiftRound(a * sin + b * cos, ANGLE)))
    }
    x += (<usize>headSize) << 3
  }
}
