// Products of weights and activations, the hot loop (D130, D131).
//
// Some functions take more than five parameters: what the host calls can only be given numbers, and
// within the module a record would be written to memory and read again.
import {
  BYTES,
  HALVES,
  LEVELS,
  UNSIGNED,
  activationBytes,
  groupBytes,
  pairBytes,
  scaleBytes,
} from './layout.as'
import { addBlock } from './blockSums.as'
import { FRACTION } from './fixedPoint.as'
import { SUMS, storeSums } from './sums.as'

/** Where products of even blocks are kept, after the sums. */
@inline const KEPT: usize = 2 * SUMS

/** Adds the products of two columns with four rows, modulo 2^32. */
@inline function addPair(sum: v128, weights: v128, x: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, x))
}

/** Rows 0 to 3, 4 to 7, 8 to 11 and 12 to 15 of a pair of columns. */
@inline function first(form: i32, pair: usize): v128 {
  return form & HALVES ? i16x8.shr_s(i16x8.shl(v128.load(pair), 8), 8) : v128.load(pair)
}

@inline function second(form: i32, pair: usize): v128 {
  return i16x8.shr_s(v128.load(pair), form & BYTES ? 8 : 4)
}

@inline function third(form: i32, pair: usize): v128 {
  if (form & HALVES) return i16x8.shr_s(i16x8.shl(v128.load(pair, 16), 8), 8)
  return form & BYTES ? v128.load(pair, 16) : i16x8.shr_s(v128.load(pair), 8)
}

@inline function fourth(form: i32, pair: usize): v128 {
  return form & BYTES ? i16x8.shr_s(v128.load(pair, 16), 8) : i16x8.shr_s(v128.load(pair), 12)
}

/**
 * Sums of sixteen rows with two vectors, `step` bytes apart. A pair of columns is a turn of the loop: unrolled, the compiler
 * of V8 loads everything first and runs out of registers.
 */
@inline function sumTwo(
  form: i32,
  group: usize,
  blocks: i32,
  x: usize,
  step: usize,
  sums: usize,
): void {
  const width: usize = form & HALVES ? 2 * SUMS : SUMS
  memory.fill(sums, 0, 2 * width)
  let offset = x + ((<usize>blocks) << 6)
  let level = group
  for (let block = 0; block < blocks; block++) {
    if (form & LEVELS && (block & 7) == 0) {
      level = group
      group += 64
    }
    const scales = group
    group += scaleBytes(form)
    for (let half: usize = 0; half < (form & HALVES ? 2 : 1); half++) {
      let a0 = i32x4.splat(0),
        b0 = i32x4.splat(0),
        c0 = i32x4.splat(0),
        d0 = i32x4.splat(0)
      let a1 = i32x4.splat(0),
        b1 = i32x4.splat(0),
        c1 = i32x4.splat(0),
        d1 = i32x4.splat(0)
      const end = x + (form & HALVES ? 32 : 64)
      while (x < end) {
        const y0 = v128.load_splat<i32>(x)
        const y1 = v128.load_splat<i32>(x + step)
        const a = first(form, group)
        const b = second(form, group)
        const c = third(form, group)
        const d = fourth(form, group)
        a0 = addPair(a0, a, y0)
        a1 = addPair(a1, a, y1)
        b0 = addPair(b0, b, y0)
        b1 = addPair(b1, b, y1)
        c0 = addPair(c0, c, y0)
        c1 = addPair(c1, c, y1)
        d0 = addPair(d0, d, y0)
        d1 = addPair(d1, d, y1)
        group += pairBytes(form)
        x += 4
      }
      const own = scales + (half << 4)
      const to = sums + half * SUMS
      addBlock(form, block, level, own, offset, to, sums + KEPT, a0, b0, c0, d0)
      addBlock(form, block, level, own, offset + step, to + width, sums + KEPT + 64, a1, b1, c1, d1)
    }
    offset += 4
  }
}

/** The same with one vector. */
@inline function sumOne(form: i32, group: usize, blocks: i32, x: usize, sums: usize): void {
  memory.fill(sums, 0, form & HALVES ? 2 * SUMS : SUMS)
  let offset = x + ((<usize>blocks) << 6)
  let level = group
  for (let block = 0; block < blocks; block++) {
    if (form & LEVELS && (block & 7) == 0) {
      level = group
      group += 64
    }
    const scales = group
    group += scaleBytes(form)
    for (let half: usize = 0; half < (form & HALVES ? 2 : 1); half++) {
      let a = i32x4.splat(0),
        b = i32x4.splat(0),
        c = i32x4.splat(0),
        d = i32x4.splat(0)
      const end = x + (form & HALVES ? 32 : 64)
      while (x < end) {
        const y = v128.load_splat<i32>(x)
        a = addPair(a, first(form, group), y)
        b = addPair(b, second(form, group), y)
        c = addPair(c, third(form, group), y)
        d = addPair(d, fourth(form, group), y)
        const z = v128.load_splat<i32>(x, 4)
        const next = group + pairBytes(form)
        a = addPair(a, first(form, next), z)
        b = addPair(b, second(form, next), z)
        c = addPair(c, third(form, next), z)
        d = addPair(d, fourth(form, next), z)
        group = next + pairBytes(form)
        x += 8
      }
      addBlock(
        form,
        block,
        level,
        scales + (half << 4),
        offset,
        sums + half * SUMS,
        sums + KEPT,
        a,
        b,
        c,
        d,
      )
    }
    offset += 4
  }
}

/** Stores the products of a vector. The first and the second scales of blocks are sums of their own (D119). */
@inline function storeRows(
  form: i32,
  sums: usize,
  wanted: i32,
  shift: usize,
  target: usize,
  add: bool,
): void {
  // Weights are Q24, activations 2^(shift - 24).
  const by = load<i32>(shift) - FRACTION
  storeSums(sums, wanted, by, target, add)
  if (form & HALVES) storeSums(sums + SUMS, wanted, by, target, true)
}

@inline function multiplyForm(
  form: i32,
  matrix: usize,
  from: i32,
  rows: i32,
  blocks: i32,
  x: usize,
  count: i32,
  target: usize,
  add: bool,
  until: i32,
  scratch: usize,
): void {
  const step = activationBytes(blocks)
  const shift = <usize>blocks * 68
  const width: usize = form & HALVES ? 2 * SUMS : SUMS
  let group = matrix + <usize>(from >> 4) * groupBytes(form, blocks)
  for (let row = from; row < until; row += 16) {
    const wanted = min<i32>(16, rows - row)
    let vector = x
    let to = target + ((<usize>row) << 3)
    let i = 0
    for (; i + 2 <= count; i += 2) {
      sumTwo(form, group, blocks, vector, step, scratch)
      storeRows(form, scratch, wanted, vector + shift, to, add)
      vector += step
      to += (<usize>rows) << 3
      storeRows(form, scratch + width, wanted, vector + shift, to, add)
      vector += step
      to += (<usize>rows) << 3
    }
    if (i < count) {
      sumOne(form, group, blocks, vector, scratch)
      storeRows(form, scratch, wanted, vector + shift, to, add)
    }
    group += groupBytes(form, blocks)
  }
}

/**
 * Products of the rows `from` to `until` (multiples of 16, or the end) of a matrix with `count` vectors of activations, which
 * are contiguous: results are Q24, `rows` apart. With `add`, results are added to the target. Per row, the sum over the
 * blocks of scale * (weights . activations) is exact, below 2^62; it is rounded once. `scratch` is room for 512 bytes.
 */
export function multiplyMatrix(
  form: i32,
  matrix: usize,
  from: i32,
  until: i32,
  rows: i32,
  blocks: i32,
  x: usize,
  count: i32,
  target: usize,
  add: bool,
  scratch: usize,
): void {
  if (form == 0) multiplyForm(0, matrix, from, rows, blocks, x, count, target, add, until, scratch)
  else if (form == UNSIGNED)
    multiplyForm(UNSIGNED, matrix, from, rows, blocks, x, count, target, add, until, scratch)
  else if (form == (UNSIGNED | LEVELS))
    multiplyForm(
      UNSIGNED | LEVELS,
      matrix,
      from,
      rows,
      blocks,
      x,
      count,
      target,
      add,
      until,
      scratch,
    )
  else if (form == BYTES)
    multiplyForm(BYTES, matrix, from, rows, blocks, x, count, target, add, until, scratch)
  else if (form == (BYTES | LEVELS))
    multiplyForm(BYTES | LEVELS, matrix, from, rows, blocks, x, count, target, add, until, scratch)
  else
    multiplyForm(
      BYTES | LEVELS | HALVES,
      matrix,
      from,
      rows,
      blocks,
      x,
      count,
      target,
      add,
      until,
      scratch,
    )
}
