// What the minima of blocks add to a product: each times the sum of its block's activations (D119, D130).
//
// They are kept in groups of sixteen rows, as the matrix is (layout.as.ts): sixteen i32 for each block; where scales have two
// levels, sixteen i32 for eight blocks, and then for each block sixteen bytes that these are multiplied with.
//
// Some functions take more than five parameters: between WebAssembly and its host only numbers pass.
import { LEVELS, activationBytes } from './layout.as'
import { FRACTION, clamp } from './fixedPoint.as'
import { SUMS, storeSums } from './sums.as'
import { isScale } from './weights.as'

/** Bytes of sixteen i32. */
@inline const WORDS: usize = 64
/** Bytes for eight blocks of sixteen rows where scales have two levels. */
@inline const LEVEL: usize = WORDS + 8 * 16

/** Bytes of sixteen rows. */
@inline function groupBytes(form: i32, blocks: i32): usize {
  return form & LEVELS ? <usize>(blocks >> 3) * LEVEL : <usize>blocks * WORDS
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
  const group = minima + <usize>(row >> 4) * groupBytes(form, blocks)
  const place = <usize>(row & 15)
  if (!(form & LEVELS)) return store<i32>(group + <usize>block * WORDS + (place << 2), <i32>least)
  const level = group + <usize>(block >> 3) * LEVEL
  store<i32>(level + (place << 2), isScale(least) ? <i32>least : 0)
  store<u8>(level + WORDS + ((<usize>(block & 7)) << 4) + place, <u8>part)
}

@inline function loadMinimum(
  form: i32,
  minima: usize,
  row: i32,
  block: i32,
  blocks: i32,
): i64 {
  const group = minima + <usize>(row >> 4) * groupBytes(form, blocks)
  const place = <usize>(row & 15)
  if (!(form & LEVELS)) return <i64>load<i32>(group + <usize>block * WORDS + (place << 2))
  const level = group + <usize>(block >> 3) * LEVEL
  const part = load<u8>(level + WORDS + ((<usize>(block & 7)) << 4) + place)
  return <i64>load<i32>(level + (place << 2)) * <i64>part
}

/** Adds the products of the minima of four rows with what a vector has in common to two pairs of sums. */
@inline function addFour(sums: usize, minima: v128, common: v128): void {
  v128.store(sums, i64x2.add(v128.load(sums), i64x2.extmul_low_i32x4_s(minima, common)))
  v128.store(sums, i64x2.add(v128.load(sums, 16), i64x2.extmul_high_i32x4_s(minima, common)), 16)
}

/** The sum of a block's activations: offsets are -128 times that. */
@inline function blockSum(offset: usize): v128 {
  return i32x4.neg(i32x4.shr_s(v128.load_splat<i32>(offset), 7))
}

/** Sums over the blocks of minimum times sum of activations, of sixteen rows: each below 2^62, like the products of a row. */
@inline function sumPlain(group: usize, offsets: usize, blocks: i32, sums: usize): void {
  for (let block = 0; block < blocks; block++) {
    const common = blockSum(offsets)
    for (let part: usize = 0; part < 4; part++)
      addFour(sums + (part << 5), v128.load(group + (part << 4)), common)
    group += WORDS
    offsets += 4
  }
}

/** The same for two levels: sums of eight blocks, with factors below 2^6, fit in 32 bits. Two vectors are `step` bytes apart. */
@inline function sumLevels(
  group: usize,
  offsets: usize,
  step: usize,
  blocks: i32,
  sums: usize,
): void {
  for (let block = 0; block < blocks; block += 8) {
    for (let half: usize = 0; half < 2; half++) {
      let a0 = i32x4.splat(0)
      let b0 = i32x4.splat(0)
      let a1 = i32x4.splat(0)
      let b1 = i32x4.splat(0)
      let parts = group + WORDS + (half << 3)
      const end = offsets + 32
      for (let offset = offsets; offset < end; offset += 4) {
        const factors = v128.load8x8_u(parts)
        const a = i32x4.extend_low_i16x8_u(factors)
        const b = i32x4.extend_high_i16x8_u(factors)
        const x0 = blockSum(offset)
        const x1 = blockSum(offset + step)
        a0 = i32x4.add(a0, i32x4.mul(a, x0))
        b0 = i32x4.add(b0, i32x4.mul(b, x0))
        a1 = i32x4.add(a1, i32x4.mul(a, x1))
        b1 = i32x4.add(b1, i32x4.mul(b, x1))
        parts += 16
      }
      const a = v128.load(group + (half << 5))
      const b = v128.load(group + (half << 5), 16)
      const to = sums + (half << 6)
      addFour(to, a, a0)
      addFour(to + 32, b, b0)
      addFour(to + SUMS, a, a1)
      addFour(to + SUMS + 32, b, b1)
    }
    group += LEVEL
    offsets += 32
  }
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
  scratch: usize,
): void {
  const step = activationBytes(blocks)
  const shift = (<usize>blocks) << 2
  let group = minima + <usize>(from >> 4) * groupBytes(form, blocks)
  for (let row = from; row < until; row += 16) {
    const wanted = min<i32>(16, rows - row)
    let offsets = x + ((<usize>blocks) << 6)
    let to = target + ((<usize>row) << 3)
    for (let i = 0; i < count; i += 2) {
      // A last vector without a second is computed twice.
      const second = i + 1 < count ? step : 0
      memory.fill(scratch, 0, 2 * SUMS)
      if (form & LEVELS) sumLevels(group, offsets, second, blocks, scratch)
      else {
        sumPlain(group, offsets, blocks, scratch)
        sumPlain(group, offsets + second, blocks, scratch + SUMS)
      }
      storeSums(scratch, wanted, load<i32>(offsets + shift) - FRACTION, to, true)
      to += (<usize>rows) << 3
      if (second == 0) break
      const by = load<i32>(offsets + step + shift) - FRACTION
      storeSums(scratch + SUMS, wanted, by, to, true)
      to += (<usize>rows) << 3
      offsets += 2 * step
    }
    group += groupBytes(form, blocks)
  }
}

/** Adds the minima of one row to its 32 * blocks numbers: an embedding. */
export function addRowMinima(form: i32, minima: usize, row: i32, blocks: i32, target: usize): void {
  for (let block = 0; block < blocks; block++) {
    const value = loadMinimum(form, minima, row, block, blocks)
    for (let i = 0; i < 32; i++) {
      store<i64>(target, clamp(load<i64>(target) + value))
      target += 8
    }
  }
}
