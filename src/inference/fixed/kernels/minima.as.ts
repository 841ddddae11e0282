// What the minima of blocks add to a product: each times the sum of its block's activations (D119).
//
// They are kept row by row: an i32 for each block; where scales have two levels, an i32 for eight blocks, and then eight
// bytes that it is multiplied with.
import { LEVELS, activationBytes } from './layout.as'
import { FRACTION, clamp, scale } from './fixedPoint.as'
import { isScale } from './weights.as'

@inline const LEVEL: usize = 12

@inline function rowBytes(form: i32, blocks: i32): usize {
  return form & LEVELS ? <usize>(blocks >> 3) * LEVEL : (<usize>blocks) << 2
}

/** Writes the minimum of a block, `least` times `part`, which fits in 32 bits. */
export function storeMinimum(
  form: i32,
  minima: usize,
  row: i32,
  block: i32,
  blocks: i32,
  least: i64,
  part: i32,
): void {
  const at = minima + <usize>row * rowBytes(form, blocks)
  if (!(form & LEVELS)) return store<i32>(at + ((<usize>block) << 2), <i32>least)
  const level = at + <usize>(block >> 3) * LEVEL
  store<i32>(level, isScale(least) ? <i32>least : 0)
  store<u8>(level + <usize>(block & 7), <u8>part, 4)
}

@inline function loadMinimum(form: i32, row: usize, block: i32): i64 {
  if (!(form & LEVELS)) return <i64>load<i32>(row + ((<usize>block) << 2))
  const level = row + <usize>(block >> 3) * LEVEL
  return <i64>load<i32>(level) * <i64>load<u8>(level + <usize>(block & 7), 4)
}

/** Sum over the blocks of minimum * -(sum of activations): below 2^62, like the products of a row. */
@inline function plainSum(minima: usize, offsets: usize, blocks: i32): i64 {
  let sum = i64x2.splat(0)
  let block = 0
  for (; block + 4 <= blocks; block += 4) {
    const at = (<usize>block) << 2
    const left = v128.load(minima + at)
    const right = i32x4.shr_s(v128.load(offsets + at), 7)
    sum = i64x2.add(sum, i64x2.extmul_low_i32x4_s(left, right))
    sum = i64x2.add(sum, i64x2.extmul_high_i32x4_s(left, right))
  }
  let rest = i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1)
  for (; block < blocks; block++) {
    const at = (<usize>block) << 2
    rest += <i64>load<i32>(minima + at) * <i64>(load<i32>(offsets + at) >> 7)
  }
  return rest
}

/** The same for two levels: sums of eight blocks, with factors below 2^6, fit in 32 bits. */
@inline function levelSum(minima: usize, offsets: usize, blocks: i32): i64 {
  let sum = i64x2.splat(0)
  for (let block = 0; block < blocks; block += 8) {
    const parts = v128.load8x8_u(minima, 4)
    const left = i32x4.mul(i32x4.extend_low_i16x8_u(parts), i32x4.shr_s(v128.load(offsets), 7))
    const right = i32x4.mul(
      i32x4.extend_high_i16x8_u(parts),
      i32x4.shr_s(v128.load(offsets, 16), 7),
    )
    const both = i32x4.add(left, right)
    const level = v128.load_splat<i32>(minima)
    sum = i64x2.add(sum, i64x2.extmul_low_i32x4_s(both, level))
    sum = i64x2.add(sum, i64x2.extmul_high_i32x4_s(both, level))
    minima += LEVEL
    offsets += 32
  }
  return i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1)
}

/**
 * Adds the minima's part to the products of the rows `from` to `until` of a matrix with `count` vectors of activations.
 * Parameters are those of `multiplyMatrix`.
 */
export function addMinima(
  form: i32,
  minima: usize,
  from: i32,
  until: i32,
  rows: i32,
  blocks: i32,
  x: usize,
  count: i32,
  target: usize,
): void {
  const bytes = rowBytes(form, blocks)
  for (let i = 0; i < count; i++) {
    const offsets = x + ((<usize>blocks) << 6)
    const shift = load<i32>(offsets + ((<usize>blocks) << 2)) - FRACTION
    let row = minima + <usize>from * bytes
    for (let j = from; j < until; j++) {
      const sum = form & LEVELS ? levelSum(row, offsets, blocks) : plainSum(row, offsets, blocks)
      const at = target + ((<usize>j) << 3)
      store<i64>(at, clamp(load<i64>(at) + scale(-sum, shift)))
      row += bytes
    }
    x += activationBytes(blocks)
    target += (<usize>rows) << 3
  }
}

/** Adds the minima of one row to its 32 * blocks numbers: an embedding. */
export function addRowMinima(form: i32, minima: usize, row: i32, blocks: i32, target: usize): void {
  const from = minima + <usize>row * rowBytes(form, blocks)
  for (let block = 0; block < blocks; block++) {
    const value = loadMinimum(form, from, block)
    for (let i = 0; i < 32; i++) {
      store<i64>(target, clamp(load<i64>(target) + value))
      target += 8
    }
  }
}
