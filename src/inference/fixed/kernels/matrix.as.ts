// Products of weights and activations, the hot loop.
//
// Some functions take more than five parameters: what the host calls can only be given numbers, and
// within the module a record would be written to memory and read again.
import { GROUP, PAIR, activationBytes, scaleAddress, weightMask, weightsAddress } from './layout.as'
import { FRACTION, clamp, scale } from './fixedPoint.as'

/** Adds the products of the upper weights of one pair of columns. */
@inline function addUpper(sum: v128, weights: v128, x: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.shr_s(weights, 8), x))
}

/** Adds the products of whole numbers, modulo 2^32. */
@inline function addWhole(sum: v128, weights: v128, x: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, x))
}

@inline function addFourUpper(sum: v128, weights: usize, x: usize): v128 {
  const first = addUpper(sum, v128.load(weights), v128.load_splat<i32>(x))
  const second = addUpper(first, v128.load(weights, 16), v128.load_splat<i32>(x, 4))
  const third = addUpper(second, v128.load(weights, 32), v128.load_splat<i32>(x, 8))
  return addUpper(third, v128.load(weights, 48), v128.load_splat<i32>(x, 12))
}

@inline function addFourWhole(sum: v128, weights: usize, x: usize): v128 {
  const first = addWhole(sum, v128.load(weights), v128.load_splat<i32>(x))
  const second = addWhole(first, v128.load(weights, 16), v128.load_splat<i32>(x, 4))
  const third = addWhole(second, v128.load(weights, 32), v128.load_splat<i32>(x, 8))
  return addWhole(third, v128.load(weights, 48), v128.load_splat<i32>(x, 12))
}

/** Products of a block with the first four rows of a group. */
@inline function upperDots(group: usize, x: usize): v128 {
  const half = addFourUpper(addFourUpper(i32x4.splat(0), group + 32, x), group + 96, x + 16)
  return addFourUpper(addFourUpper(half, group + 160, x + 32), group + 224, x + 48)
}

/**
 * Products with the last four rows. Whole numbers give 256 * upper + lower + 128 * (sum of the activations); the excess
 * is subtracted. Intermediate sums may overflow, but the result fits.
 */
@inline function lowerDots(group: usize, x: usize, offset: v128, upper: v128): v128 {
  const half = addFourWhole(addFourWhole(offset, group + 32, x), group + 96, x + 16)
  const whole = addFourWhole(addFourWhole(half, group + 160, x + 32), group + 224, x + 48)
  return i32x4.sub(whole, i32x4.shl(upper, 8))
}

/** Adds two products times their scales. */
@inline function addLow(sum: v128, dots: v128, scales: v128): v128 {
  return i64x2.add(sum, i64x2.extmul_low_i32x4_s(dots, scales))
}

@inline function addHigh(sum: v128, dots: v128, scales: v128): v128 {
  return i64x2.add(sum, i64x2.extmul_high_i32x4_s(dots, scales))
}

@inline function storeProduct(at: usize, sum: i64, shift: i32, add: bool): void {
  const value = scale(sum, shift)
  store<i64>(at, add ? clamp(load<i64>(at) + value) : value)
}

/** Stores the first `wanted` of two products. */
@inline function storePair(at: usize, sums: v128, wanted: i32, shift: i32, add: bool): void {
  if (wanted > 0) storeProduct(at, i64x2.extract_lane(sums, 0), shift, add)
  if (wanted > 1) storeProduct(at + 8, i64x2.extract_lane(sums, 1), shift, add)
}

/** Stores the products of a group from its row on. */
function storeGroup(
  target: usize,
  row: i32,
  rows: i32,
  shift: i32,
  add: bool,
  a: v128,
  b: v128,
  c: v128,
  d: v128,
): void {
  const at = target + ((<usize>row) << 3)
  storePair(at, a, rows - row, shift, add)
  storePair(at + 16, b, rows - row - 2, shift, add)
  storePair(at + 32, c, rows - row - 4, shift, add)
  storePair(at + 48, d, rows - row - 6, shift, add)
}

/**
 * Products of a matrix with `count` vectors of activations, which are contiguous: results are Q24, `rows` apart. With
 * `add`, results are added to the target. Per row, the sum over the blocks of scale * (weights . activations) is exact,
 * below 2^62; it is rounded once.
 *
 * Four groups are processed together, each from its quarter of the matrix: a processor prefetches several streams at
 * once, but none of them beyond its page.
 */
export function multiplyMatrix(
  matrix: usize,
  rows: i32,
  blocks: i32,
  x: usize,
  count: i32,
  target: usize,
  add: bool,
): void {
  const groupBytes = <usize>blocks * GROUP
  const groups = (rows + 31) >> 5
  const quarter = groupBytes * <usize>groups
  for (let index = 0; index < groups; index++) {
    let vector = x
    for (let i = 0; i < count; i++) {
      let a0 = i64x2.splat(0),
        b0 = i64x2.splat(0),
        c0 = i64x2.splat(0),
        d0 = i64x2.splat(0)
      let a1 = i64x2.splat(0),
        b1 = i64x2.splat(0),
        c1 = i64x2.splat(0),
        d1 = i64x2.splat(0)
      let a2 = i64x2.splat(0),
        b2 = i64x2.splat(0),
        c2 = i64x2.splat(0),
        d2 = i64x2.splat(0)
      let a3 = i64x2.splat(0),
        b3 = i64x2.splat(0),
        c3 = i64x2.splat(0),
        d3 = i64x2.splat(0)
      let group0 = matrix
      let group1 = matrix + quarter
      let group2 = group1 + quarter
      let group3 = group2 + quarter
      let numbers = vector
      let offsets = vector + ((<usize>blocks) << 6)
      const end = group0 + groupBytes
      while (group0 < end) {
        const offset = v128.load_splat<i32>(offsets)
        const upper0 = upperDots(group0, numbers)
        const lower0 = lowerDots(group0, numbers, offset, upper0)
        a0 = addLow(a0, upper0, v128.load(group0))
        b0 = addHigh(b0, upper0, v128.load(group0))
        c0 = addLow(c0, lower0, v128.load(group0, 16))
        d0 = addHigh(d0, lower0, v128.load(group0, 16))
        const upper1 = upperDots(group1, numbers)
        const lower1 = lowerDots(group1, numbers, offset, upper1)
        a1 = addLow(a1, upper1, v128.load(group1))
        b1 = addHigh(b1, upper1, v128.load(group1))
        c1 = addLow(c1, lower1, v128.load(group1, 16))
        d1 = addHigh(d1, lower1, v128.load(group1, 16))
        const upper2 = upperDots(group2, numbers)
        const lower2 = lowerDots(group2, numbers, offset, upper2)
        a2 = addLow(a2, upper2, v128.load(group2))
        b2 = addHigh(b2, upper2, v128.load(group2))
        c2 = addLow(c2, lower2, v128.load(group2, 16))
        d2 = addHigh(d2, lower2, v128.load(group2, 16))
        const upper3 = upperDots(group3, numbers)
        const lower3 = lowerDots(group3, numbers, offset, upper3)
        a3 = addLow(a3, upper3, v128.load(group3))
        b3 = addHigh(b3, upper3, v128.load(group3))
        c3 = addLow(c3, lower3, v128.load(group3, 16))
        d3 = addHigh(d3, lower3, v128.load(group3, 16))
        group0 += GROUP
        group1 += GROUP
        group2 += GROUP
        group3 += GROUP
        numbers += 64
        offsets += 4
      }
      // Weights are Q24, activations 2^(shift - 24).
      const shift = load<i32>(offsets) - FRACTION
      const to = target + ((<usize>(i * rows)) << 3)
      storeGroup(to, index << 3, rows, shift, add, a0, b0, c0, d0)
      storeGroup(to, (groups + index) << 3, rows, shift, add, a1, b1, c1, d1)
      storeGroup(to, (2 * groups + index) << 3, rows, shift, add, a2, b2, c2, d2)
      storeGroup(to, (3 * groups + index) << 3, rows, shift, add, a3, b3, c3, d3)
      vector += activationBytes(blocks)
    }
    matrix += groupBytes
  }
}

/** One row of a matrix as Q24: an embedding. With `add`, it is added to the target. */
export function readRow(matrix: usize, row: i32, blocks: i32, target: usize, add: bool): void {
  const mask = weightMask(row)
  for (let block = 0; block < blocks; block++) {
    const factor = <i64>load<i32>(scaleAddress(matrix, row, block, blocks))
    const weights = weightsAddress(matrix, row, block, blocks)
    for (let i: usize = 0; i < 32; i++) {
      const weight = <i8>(load<u8>(weights + (i >> 1) * PAIR + 2 * (i & 1)) ^ mask)
      const value = <i64>weight * factor
      store<i64>(target, clamp(add ? load<i64>(target) + value : value))
      target += 8
    }
  }
}
