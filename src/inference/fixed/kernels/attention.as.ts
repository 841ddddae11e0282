// Attention over the cache (D130). Queries, keys and values are 13-bit integers with a shift per head and position.
//
// Some functions take more than five parameters: what the host calls can only be given numbers, and
// within the module a record would be written to memory and read again.
import { entryBytes, keyShiftsAt, valueShiftsAt, valuesAt } from './layout.as'
import { shiftRound } from './fixedPoint.as'
import { powerOfHalf } from './exponential.as'
import { quantize } from './quantize.as'
import { softCap } from './softCap.as'
import { storeMeans } from './means.as'

@inline const ATTENTION_BITS: i32 = 13
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
