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
    storeMeans(values, stride, count, scores, total, topShift, headSize, target + from)
  }
}

/** Numbers of two heads whose products fit in 32 bits per lane. */
@inline const PART: i32 = 128

/** The products of eight numbers of two heads, added to four sums. */
@inline function addEight(sum: v128, a: v128, b: usize): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(a, v128.load(b)))
}

/** A sum of four lanes as two of 64 bits. */
@inline function widen(sum: v128): v128 {
  return i64x2.add(i64x2.extend_low_i32x4_s(sum), i64x2.extend_high_i32x4_s(sum))
}

/** The sum of the products of two heads. */
@inline function dot(a: usize, b: usize, length: i32): i64 {
  let sums = i64x2.splat(0)
  for (let first = 0; first < length; first += PART) {
    const end = a + ((<usize>min<i32>(length - first, PART)) << 1)
    let sum = i32x4.splat(0)
    while (a < end) {
      sum = addEight(sum, v128.load(a), b)
      a += 16
      b += 16
    }
    sums = i64x2.add(sums, widen(sum))
  }
  return i64x2.extract_lane(sums, 0) + i64x2.extract_lane(sums, 1)
}

/** The same with four keys, `stride` bytes apart, so that a query is read once for them. */
@inline function dotFour(a: usize, b: usize, stride: usize, length: i32, target: usize): void {
  let sums0 = i64x2.splat(0)
  let sums1 = i64x2.splat(0)
  let sums2 = i64x2.splat(0)
  let sums3 = i64x2.splat(0)
  for (let first = 0; first < length; first += PART) {
    const end = a + ((<usize>min<i32>(length - first, PART)) << 1)
    let sum0 = i32x4.splat(0)
    let sum1 = i32x4.splat(0)
    let sum2 = i32x4.splat(0)
    let sum3 = i32x4.splat(0)
    while (a < end) {
      const x = v128.load(a)
      sum0 = addEight(sum0, x, b)
      sum1 = addEight(sum1, x, b + stride)
      sum2 = addEight(sum2, x, b + 2 * stride)
      sum3 = addEight(sum3, x, b + 3 * stride)
      a += 16
      b += 16
    }
    sums0 = i64x2.add(sums0, widen(sum0))
    sums1 = i64x2.add(sums1, widen(sum1))
    sums2 = i64x2.add(sums2, widen(sum2))
    sums3 = i64x2.add(sums3, widen(sum3))
  }
  v128.store(target, addLanes(sums0, sums1))
  v128.store(target, addLanes(sums2, sums3), 16)
}

/** The sums of the lanes of both. */
@inline function addLanes(a: v128, b: v128): v128 {
  return i64x2.add(v128.shuffle<i64>(a, b, 0, 2), v128.shuffle<i64>(a, b, 1, 3))
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
  let t = 0
  for (; t + 4 <= count; t += 4)
    dotFour(query, keys + <usize>t * stride, stride, headSize, scores + ((<usize>t) << 3))
  for (; t < count; t++)
    store<i64>(scores + ((<usize>t) << 3), dot(query, keys + <usize>t * stride, headSize))
  let most = i64.MIN_VALUE
  const end = scores + ((<usize>count) << 3)
  for (let at = scores; at < end; at += 8) {
    // Q28 * 2^(shifts - 48) to Q20.
    const exact = shiftRound(load<i64>(at) * factor, 56 - queryShift - load<i32>(keyShifts))
    const value = cap == 0 ? exact : softCap(exact, cap)
    store<i64>(at, value)
    most = max<i64>(most, value)
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

/** Adds lower + 2^12 * upper to four sums (i64). */
@inline function addJoined(sums: usize, lower: v128, upper: v128): void {
  const low = i64x2.extend_low_i32x4_s(lower)
  const high = i64x2.extend_high_i32x4_s(lower)
  const moved = i64x2.shl(i64x2.extend_low_i32x4_s(upper), 12)
  const movedHigh = i64x2.shl(i64x2.extend_high_i32x4_s(upper), 12)
  v128.store(sums, i64x2.add(v128.load(sums), i64x2.add(low, moved)))
  v128.store(sums, i64x2.add(v128.load(sums, 16), i64x2.add(high, movedHigh)), 16)
}

/** Numbers 0 to 3, and 4 to 7, of two positions in turn. */
@inline function lowPairs(one: v128, two: v128): v128 {
  return v128.shuffle<i16>(one, two, 0, 8, 1, 9, 2, 10, 3, 11)
}

@inline function highPairs(one: v128, two: v128): v128 {
  return v128.shuffle<i16>(one, two, 4, 12, 5, 13, 6, 14, 7, 15)
}

/** Stores the weighted sums (i64) of eight numbers of the values, of sixteen if `isWide`, for which weights are read once. */
@inline function sumValues(
  values: usize,
  stride: usize,
  count: i32,
  weights: usize,
  sums: usize,
  isWide: bool,
): void {
  memory.fill(sums, 0, isWide ? 128 : 64)
  let weight = weights
  for (let first = 0; first < count; first += STRETCH) {
    let lower0 = i32x4.splat(0)
    let lower1 = i32x4.splat(0)
    let lower2 = i32x4.splat(0)
    let lower3 = i32x4.splat(0)
    let upper0 = i32x4.splat(0)
    let upper1 = i32x4.splat(0)
    let upper2 = i32x4.splat(0)
    let upper3 = i32x4.splat(0)
    const end = min<i32>(count, first + STRETCH)
    for (let t = first; t < end; t += 2) {
      // The memory may end after the last one; the weight is zero then.
      const next = t + 1 < end ? values + stride : values
      const lower = v128.load_splat<i32>(weight)
      const upper = v128.load_splat<i32>(weight, 4)
      const low = lowPairs(v128.load(values), v128.load(next))
      const high = highPairs(v128.load(values), v128.load(next))
      lower0 = i32x4.add(lower0, i32x4.dot_i16x8_s(low, lower))
      lower1 = i32x4.add(lower1, i32x4.dot_i16x8_s(high, lower))
      upper0 = i32x4.add(upper0, i32x4.dot_i16x8_s(low, upper))
      upper1 = i32x4.add(upper1, i32x4.dot_i16x8_s(high, upper))
      if (isWide) {
        const low = lowPairs(v128.load(values, 16), v128.load(next, 16))
        const high = highPairs(v128.load(values, 16), v128.load(next, 16))
        lower2 = i32x4.add(lower2, i32x4.dot_i16x8_s(low, lower))
        lower3 = i32x4.add(lower3, i32x4.dot_i16x8_s(high, lower))
        upper2 = i32x4.add(upper2, i32x4.dot_i16x8_s(low, upper))
        upper3 = i32x4.add(upper3, i32x4.dot_i16x8_s(high, upper))
      }
      values += 2 * stride
      weight += 8
    }
    addJoined(sums, lower0, upper0)
    addJoined(sums + 32, lower1, upper1)
    if (isWide) {
      addJoined(sums + 64, lower2, upper2)
      addJoined(sums + 96, lower3, upper3)
    }
  }
}

/** Stores the means of the numbers of a head. */
@inline function storeMeans(
  values: usize,
  stride: usize,
  count: i32,
  weights: usize,
  total: i64,
  topShift: i32,
  headSize: i32,
  target: usize,
): void {
  let i: i32 = 0
  for (; i + 16 <= headSize; i += 16)
    sumValues(values + ((<usize>i) << 1), stride, count, weights, target + ((<usize>i) << 3), true)
  if (i < headSize)
    sumValues(values + ((<usize>i) << 1), stride, count, weights, target + ((<usize>i) << 3), false)
  const end = target + ((<usize>headSize) << 3)
  for (let at = target; at < end; at += 8) store<i64>(at, mean(load<i64>(at), total, topShift))
}

/** sum / total * 2^shift. The sum is below 2^52, so ten more bits can be kept through the division. */
@inline function mean(sum: i64, total: i64, shift: i32): i64 {
  const quotient = (sum << 10) / total
  return clamp(shift >= 10 ? quotient << (<i64>(shift - 10)) : shiftRound(quotient, 10 - shift))
}
