// Attention over the cache. Queries, keys and values are 13-bit integers with a shift per head and position.
//
// Some functions take more than five parameters: what the host calls can only be given numbers, and
// within the module a record would be written to memory and read again.
import { entryBytes, keyShiftsAt, valueShiftsAt, valuesAt } from './layout.as'
import { clamp, shiftRound } from './fixedPoint.as'
import { powerOfHalf } from './exponential.as'
import { quantize } from './quantize.as'
import { softCap } from './softCap.as'

@inline const ATTENTION_BITS: i32 = 13
/** Number of positions whose products fit in 32 bits: 64 * (2^13 - 1) * 2^12. */
@inline const STRETCH: i32 = 64

/** Writes keys and values of one position, `keyHeads` heads of Q24 each, to its entry of the cache. */
export function storeEntry(
  keys: usize,
  values: usize,
  keyHeads: i32,
  headSize: i32,
  entry: usize,
): void {
  const width = <usize>headSize
  for (let head: usize = 0; head < <usize>keyHeads; head++) {
    const number = head * width
    const keyShift = quantize(keys + (number << 3), headSize, ATTENTION_BITS, entry + (number << 1))
    store<i32>(entry + keyShiftsAt(keyHeads, headSize) + (head << 2), keyShift)
    const to = entry + valuesAt(keyHeads, headSize) + (number << 1)
    const valueShift = quantize(values + (number << 3), headSize, ATTENTION_BITS, to)
    store<i32>(entry + valueShiftsAt(keyHeads, headSize) + (head << 2), valueShift)
  }
}

/**
 * For each head the mean of the values of `count` positions, weighted by softmax(query . key * factor). Query heads
 * share key heads round-robin. `factor` is log2(e) / sqrt(headSize) as Q28. `scratch` is room for a head of i16 and
 * then `count` i64. Queries and results are Q24. Scores are bounded by `cap` (see softCap.as.ts), Q20 and times log2(e) as they
 * are; 0 for no bound.
 */
export function attend(
  queries: usize,
  heads: i32,
  keyHeads: i32,
  headSize: i32,
  cache: usize,
  count: i32,
  factor: i64,
  scratch: usize,
  target: usize,
  cap: i64,
): void {
  const stride = entryBytes(keyHeads, headSize)
  const scores = scratch + ((<usize>headSize) << 1)
  for (let head = 0; head < heads; head++) {
    const from = (<usize>(head * headSize)) << 3
    const queryShift = quantize(queries + from, headSize, ATTENTION_BITS, scratch)
    const keyHead = <usize>((head * keyHeads) / heads)
    const keys = cache + keyHead * ((<usize>headSize) << 1)
    const keyShifts = cache + keyShiftsAt(keyHeads, headSize) + (keyHead << 2)
    const most = score(
      scratch,
      queryShift,
      keys,
      keyShifts,
      stride,
      headSize,
      count,
      factor,
      scores,
      cap,
    )
    const values = keys + valuesAt(keyHeads, headSize)
    const valueShifts = cache + valueShiftsAt(keyHeads, headSize) + (keyHead << 2)
    const topShift = largestShift(valueShifts, stride, count)
    const total = weigh(scores, count, most, valueShifts, stride, topShift)
    for (let i: usize = 0; i < <usize>headSize; i += 8)
      storeMeans(
        values + (i << 1),
        stride,
        count,
        scores,
        total,
        topShift,
        target + from + (i << 3),
      )
  }
}

/** The sum of the products of two heads; at most 128 of them fit in 32 bits per lane, 256 are added in two parts. */
@inline function dot(a: usize, b: usize, length: i32): i64 {
  const first = dotPart(a, b, min<i32>(length, 128))
  return length <= 128 ? first : first + dotPart(a + 256, b + 256, length - 128)
}

@inline function dotPart(a: usize, b: usize, length: i32): i64 {
  let sum = i32x4.splat(0)
  for (let i = 0; i < length; i += 8) {
    const at = (<usize>i) << 1
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(a + at), v128.load(b + at)))
  }
  const sums = i64x2.add(i64x2.extend_low_i32x4_s(sum), i64x2.extend_high_i32x4_s(sum))
  return i64x2.extract_lane(sums, 0) + i64x2.extract_lane(sums, 1)
}

/** Writes the score of each position as Q20 (i64) and returns the largest. */
function score(
  query: usize,
  queryShift: i32,
  keys: usize,
  keyShifts: usize,
  stride: usize,
  headSize: i32,
  count: i32,
  factor: i64,
  scores: usize,
  cap: i64,
): i64 {
  let most = i64.MIN_VALUE
  const end = scores + ((<usize>count) << 3)
  for (let at = scores; at < end; at += 8) {
    // Q28 * 2^(shifts - 48) to Q20.
    const exact = shiftRound(
      dot(query, keys, headSize) * factor,
      56 - queryShift - load<i32>(keyShifts),
    )
    const value = cap == 0 ? exact : softCap(exact, cap)
    store<i64>(at, value)
    most = max<i64>(most, value)
    keys += stride
    keyShifts += stride
  }
  return most
}

function largestShift(shifts: usize, stride: usize, count: i32): i32 {
  let most = 0
  for (let t = 0; t < count; t++) {
    most = max<i32>(most, load<i32>(shifts))
    shifts += stride
  }
  return most
}

/**
 * Replaces scores by weights and returns their sum. A weight has 24 bits and the largest is 2^24, less the alignment of
 * all values to the largest shift. Two positions share a word: the lower 12 bits of both weights, then the upper ones
 * of both (i16); the second of the last pair is zero if there is no such position.
 */
function weigh(
  scores: usize,
  count: i32,
  most: i64,
  valueShifts: usize,
  stride: usize,
  topShift: i32,
): i64 {
  let total: i64 = 0
  for (let t: usize = 0; t < <usize>count; t++) {
    const weight = powerOfHalf(most - load<i64>(scores + (t << 3))) >> 6
    total += weight
    const shifted = <i32>(weight >> <i64>(topShift - load<i32>(valueShifts)))
    valueShifts += stride
    const at = scores + ((t >> 1) << 3)
    if ((t & 1) == 0) {
      store<i64>(at, <i64>(shifted & 0xfff) | ((<i64>(shifted >> 12)) << 32))
    } else {
      store<i16>(at, <i16>(shifted & 0xfff), 2)
      store<i16>(at, <i16>(shifted >> 12), 6)
    }
  }
  return total
}

/** lower + 2^12 * upper, two lanes each. */
@inline function join(lower: v128, upper: v128): v128 {
  return i64x2.add(lower, i64x2.shl(upper, 12))
}

/** Stores the means of eight numbers of the values. */
@inline function storeMeans(
  values: usize,
  stride: usize,
  count: i32,
  weights: usize,
  total: i64,
  topShift: i32,
  target: usize,
): void {
  let a = i64x2.splat(0)
  let b = i64x2.splat(0)
  let c = i64x2.splat(0)
  let d = i64x2.splat(0)
  let value = values
  let weight = weights
  for (let first = 0; first < count; first += STRETCH) {
    let lower0 = i32x4.splat(0)
    let lower1 = i32x4.splat(0)
    let upper0 = i32x4.splat(0)
    let upper1 = i32x4.splat(0)
    const end = min<i32>(count, first + STRETCH)
    for (let t = first; t < end; t += 2) {
      const one = v128.load(value)
      // The memory may end after the last one; the weight is zero then.
      const two = v128.load(t + 1 < end ? value + stride : value)
      const low = v128.shuffle<i16>(one, two, 0, 8, 1, 9, 2, 10, 3, 11)
      const high = v128.shuffle<i16>(one, two, 4, 12, 5, 13, 6, 14, 7, 15)
      const lower = v128.load_splat<i32>(weight)
      const upper = v128.load_splat<i32>(weight, 4)
      lower0 = i32x4.add(lower0, i32x4.dot_i16x8_s(low, lower))
      lower1 = i32x4.add(lower1, i32x4.dot_i16x8_s(high, lower))
      upper0 = i32x4.add(upper0, i32x4.dot_i16x8_s(low, upper))
      upper1 = i32x4.add(upper1, i32x4.dot_i16x8_s(high, upper))
      value += 2 * stride
      weight += 8
    }
    a = i64x2.add(a, join(i64x2.extend_low_i32x4_s(lower0), i64x2.extend_low_i32x4_s(upper0)))
    b = i64x2.add(b, join(i64x2.extend_high_i32x4_s(lower0), i64x2.extend_high_i32x4_s(upper0)))
    c = i64x2.add(c, join(i64x2.extend_low_i32x4_s(lower1), i64x2.extend_low_i32x4_s(upper1)))
    d = i64x2.add(d, join(i64x2.extend_high_i32x4_s(lower1), i64x2.extend_high_i32x4_s(upper1)))
  }
  storePair(target, a, total, topShift)
  storePair(target + 16, b, total, topShift)
  storePair(target + 32, c, total, topShift)
  storePair(target + 48, d, total, topShift)
}

@inline function storePair(at: usize, sums: v128, total: i64, shift: i32): void {
  store<i64>(at, mean(i64x2.extract_lane(sums, 0), total, shift))
  store<i64>(at, mean(i64x2.extract_lane(sums, 1), total, shift), 8)
}

/** sum / total * 2^shift. The sum is below 2^52, so ten more bits can be kept through the division. */
@inline function mean(sum: i64, total: i64, shift: i32): i64 {
  const quotient = (sum << 10) / total
  return clamp(shift >= 10 ? quotient << (<i64>(shift - 10)) : shiftRound(quotient, 10 - shift))
}
