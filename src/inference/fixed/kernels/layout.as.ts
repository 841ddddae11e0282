// Memory layout of matrices and activations (D131). The hot loop reads both as streams.
//
// A matrix is stored in groups of sixteen rows, block after block of 32 columns: scales, then for each of 16 pairs of columns
// eight numbers (i16) for every word of the form. A number belongs to a column and to rows that are four apart:
// - Of nibbles, one word holds all sixteen rows: the lowest four bits are the first row's, plus eight; the highest four, which
//   are signed, the last one's. So shifting by four, eight and twelve bits leaves fewer rows, and the product of a row is
//   the difference of two products (matrix.as.ts). Shifts alone are cheaper than masks.
// - Of bytes, two words hold eight rows each: 256 * upper + lower + 128.
// - With two scales for a block (Q6_K), bytes too, but each on its own, without the 128.
// Scales of plain forms are i32, sixteen for each block. The others have sixteen i32 for 256 columns, and for each
// block sixteen (Q6_K: twice sixteen) bytes that these are multiplied with, as in their encodings.
// Matrices are padded to a multiple of 16 rows; padding rows have zero scales.
//
// A vector of activations is its numbers (i16), then -128 times the sum of each block of 32 (i32), then the common shift (i32).

/** Flags of a form: whether weights are bytes; scales have two levels; blocks have two scales; nibbles are 0 to 15. */
@inline export const BYTES: i32 = 1
@inline export const LEVELS: i32 = 2
@inline export const HALVES: i32 = 4
@inline export const UNSIGNED: i32 = 8

/** Bytes of a block's scales that are next to its weights. */
@inline export function scaleBytes(form: i32): usize {
  return form & LEVELS ? (form & HALVES ? 32 : 16) : 64
}

/** Bytes of a pair of columns. */
@inline export function pairBytes(form: i32): usize {
  return form & BYTES ? 32 : 16
}

/** Bytes of a block of sixteen rows, without scales for 256 columns. */
@inline export function blockBytes(form: i32): usize {
  return scaleBytes(form) + 16 * pairBytes(form)
}

/** Bytes of sixteen rows. */
@inline export function groupBytes(form: i32, blocks: i32): usize {
  const levels: usize = form & LEVELS ? (<usize>(blocks >> 3)) << 6 : 0
  return <usize>blocks * blockBytes(form) + levels
}

/** The address of the scales for 256 columns of a group in which a block is. */
@inline export function levelAddress(form: i32, group: usize, block: i32): usize {
  return group + <usize>(block >> 3) * (64 + 8 * blockBytes(form))
}

/** The address of a block of a group. */
@inline export function blockAddress(form: i32, group: usize, block: i32): usize {
  if (!(form & LEVELS)) return group + <usize>block * blockBytes(form)
  return levelAddress(form, group, block) + 64 + <usize>(block & 7) * blockBytes(form)
}

/** The address of the number of a column that has a row's weight. */
@inline export function numberAddress(form: i32, block: usize, row: i32, column: i32): usize {
  const word: usize = form & BYTES ? (<usize>((row >> 3) & 1)) << 4 : 0
  return (
    block +
    scaleBytes(form) +
    <usize>(column >> 1) * pairBytes(form) +
    word +
    <usize>(((row & 3) << 2) + ((column & 1) << 1))
  )
}

/** Bytes of a vector of activations, a multiple of 16. */
@inline export function activationBytes(blocks: i32): usize {
  return (<usize>blocks * 68 + 4 + 15) & ~15
}

/**
 * Bytes of the cache's entry for one position, a multiple of 16: keys of all heads, then values (i16), then the shifts of the
 * keys, then those of the values (i32, one per head).
 */
@inline export function entryBytes(keyHeads: i32, headSize: i32): usize {
  return (<usize>(4 * keyHeads * headSize + 8 * keyHeads) + 15) & ~15
}

@inline export function valuesAt(keyHeads: i32, headSize: i32): usize {
  return <usize>(2 * keyHeads * headSize)
}

@inline export function keyShiftsAt(keyHeads: i32, headSize: i32): usize {
  return <usize>(4 * keyHeads * headSize)
}

@inline export function valueShiftsAt(keyHeads: i32, headSize: i32): usize {
  return <usize>(4 * keyHeads * headSize + 4 * keyHeads)
}
