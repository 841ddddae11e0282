// Choosing the next token from the logits.
import { LOG2_E, negativeLog2, powerOfHalf } from './exponential.as'

/** The likeliest token; among equals the first. */
export function likeliest(logits: usize, length: i32): i32 {
  let best = 0
  for (let i = 1; i < length; i++)
    if (load<i64>(logits + ((<usize>i) << 3)) > load<i64>(logits + ((<usize>best) << 3))) best = i
  return best
}

/**
 * Writes 2^28 * exp((logit - largest logit) / temperature) as u32 for each token. The temperature is in millionths and at least 1.
 */
export function weigh(logits: usize, length: i32, temperature: i64, weights: usize): void {
  const top = load<i64>(logits + ((<usize>likeliest(logits, length)) << 3))
  for (let i = 0; i < length; i++) {
    const below = ((top - load<i64>(logits + ((<usize>i) << 3))) * LOG2_E) >> 24
    store<u32>(
      weights + ((<usize>i) << 2),
      <u32>(powerOfHalf((below * 1000000) / temperature) >> 2),
    )
  }
}

/** The output function of SplitMix64 (Steele, Lea, Flood 2014). */
@inline function mix(state: u64): u64 {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb
  return state ^ (state >> 31)
}

/**
 * Draws a token with a weight of at least `least` (and above 0), with probability proportional to its weight: the
 * exponential race. Token i arrives after -log2(u) / weight, u uniform from (seed, position, i), and the first one is
 * drawn. Two weights alone thus refute a wrong token.
 */
export function draw(weights: usize, length: i32, least: u32, seed: u64, position: u64): i32 {
  const stream = mix(mix(seed + 0x9e3779b97f4a7c15) + (position + 1) * 0x9e3779b97f4a7c15)
  let best = -1
  let bestTime: u64 = 0
  let bestWeight: u64 = 0
  for (let i = 0; i < length; i++) {
    const weight = <u64>load<u32>(weights + ((<usize>i) << 2))
    if (weight == 0 || weight < <u64>least) continue
    const uniform = mix(stream + (<u64>i + 1) * 0x9e3779b97f4a7c15) >> 32
    // At most 33 * 2^30 * 2^28, which fits in 64 unsigned bits.
    const time = negativeLog2(2 * uniform + 1)
    if (best < 0 || time * bestWeight < bestTime * weight) {
      best = i
      bestTime = time
      bestWeight = weight
    }
  }
  return best
}
