// The products of a block with sixteen rows, times its scales, added to their sums (D130, D131).
//
// Functions take more than five parameters: within the module a record would be written to memory and read again.
import { BYTES, HALVES, LEVELS, UNSIGNED } from './layout.as'

/** Adds the products of a block with four rows to their sums, each times its scale. */
@inline function addScaled(sums: usize, dots: v128, scales: v128): void {
  v128.store(sums, i64x2.add(v128.load(sums), i64x2.extmul_low_i32x4_s(dots, scales)))
  v128.store(sums, i64x2.add(v128.load(sums, 16), i64x2.extmul_high_i32x4_s(dots, scales)), 16)
}

/** What the scales for 256 columns of rows 4 * part to 4 * part + 3 are multiplied with. */
@inline function factorsOf(scales: usize, part: usize): v128 {
  return i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(scales + 4 * part)))
}

/** Scales of rows 4 * part to 4 * part + 3. `level` is the address of the scales for 256 columns. */
@inline function scalesOf(form: i32, level: usize, scales: usize, part: usize): v128 {
  if (!(form & LEVELS)) return v128.load(scales + 16 * part)
  return i32x4.mul(v128.load(level + 16 * part), factorsOf(scales, part))
}

/** Forms whose products of two blocks, times factors below 2^6, fit in 32 bits: 2 * 32 * 15 * 63 * (2^15 - 1). */
@inline function isPaired(form: i32): bool {
  return form == (UNSIGNED | LEVELS)
}

/** Of four rows, keeps the products of an even block in `kept`, and adds those of an odd one with them to the sums. */
@inline function addPaired(
  block: i32,
  level: usize,
  scales: usize,
  sums: usize,
  kept: usize,
  part: usize,
  dots: v128,
): void {
  const products = i32x4.mul(dots, factorsOf(scales, part))
  const at = kept + 16 * part
  if (block & 1)
    addScaled(sums + 32 * part, i32x4.add(products, v128.load(at)), v128.load(level + 16 * part))
  else v128.store(at, products)
}

/** The part of a product that all rows of a number have in common, see layout.as.ts. */
@inline function excess(form: i32, offset: usize): v128 {
  const sum = v128.load_splat<i32>(offset)
  return form & BYTES ? sum : i32x4.shr_s(sum, 4)
}

/** Adds the four products of a block with sixteen rows to their sums. */
@inline export function addBlock(
  form: i32,
  block: i32,
  level: usize,
  scales: usize,
  offset: usize,
  sums: usize,
  kept: usize,
  a: v128,
  b: v128,
  c: v128,
  d: v128,
): void {
  // Products of whole numbers less those of their upper rows. Intermediate sums may overflow, but the result fits.
  if (form & HALVES) {
  } else if (form & BYTES) {
    const more = excess(form, offset)
    a = i32x4.add(more, i32x4.sub(a, i32x4.shl(b, 8)))
    c = i32x4.add(more, i32x4.sub(c, i32x4.shl(d, 8)))
  } else {
    const more = excess(form, offset)
    a = i32x4.sub(a, i32x4.shl(b, 4))
    b = i32x4.sub(b, i32x4.shl(c, 4))
    c = i32x4.sub(c, i32x4.shl(d, 4))
    // Nibbles are stored as weight + 8, the highest as weight; the unsigned ones as weight and weight - 8.
    if (form & UNSIGNED) d = i32x4.sub(d, more)
    else {
      a = i32x4.add(a, more)
      b = i32x4.add(b, more)
      c = i32x4.add(c, more)
    }
  }
  if (isPaired(form)) {
    addPaired(block, level, scales, sums, kept, 0, a)
    addPaired(block, level, scales, sums, kept, 1, b)
    addPaired(block, level, scales, sums, kept, 2, c)
    return addPaired(block, level, scales, sums, kept, 3, d)
  }
  addScaled(sums, a, scalesOf(form, level, scales, 0))
  addScaled(sums + 32, b, scalesOf(form, level, scales, 1))
  addScaled(sums + 64, c, scalesOf(form, level, scales, 2))
  addScaled(sums + 96, d, scalesOf(form, level, scales, 3))
}
