// Memory layout of matrices and activations. The hot loop reads both as streams.
//
// A matrix is stored in groups of eight rows, block after block of 32 columns. Such a group is eight scales (i32), then
// for each of 16 pairs of columns eight numbers (i16): the two columns of the first four rows. A number holds two
// weights, 256 * w + v + 128, where v is the weight four rows further on: its bytes are w, and v with the highest bit
// flipped. Matrices are padded to a multiple of 32 rows; padding rows have zero scales.
//
// A vector of activations is its numbers (i16), then -128 times the sum of each block of 32 (i32), then the common shift (i32).

@inline export const GROUP: usize = 288

/** Distance between the weights of a row in one column and two columns further on. */
@inline export const PAIR: usize = 16

/** The address of a block's scale. */
@inline export function scaleAddress(matrix: usize, row: i32, block: i32, blocks: i32): usize {
  return matrix + <usize>((row >> 3) * blocks + block) * GROUP + ((<usize>(row & 7)) << 2)
}

/** The address of a block's first weight. Those of even columns are PAIR apart, an odd column is 2 after the even one. */
@inline export function weightsAddress(
  matrix: usize,
  row: i32,
  block: i32,
  blocks: i32,
): usize {
  const place = ((<usize>(row & 3)) << 2) + (row & 4 ? 0 : 1)
  return matrix + <usize>((row >> 3) * blocks + block) * GROUP + 32 + place
}

/** XOR mask of a weight's byte. */
@inline export function weightMask(row: i32): u8 {
  return row & 4 ? 0x80 : 0
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
