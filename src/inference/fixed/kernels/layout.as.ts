// How a matrix lies in memory: four rows at a time, block after block, so that the hot loop reads one stream. A group is four
// scales (i32), then 32 weights (i8) of each row. Matrices are filled up to full fours of rows.

@inline export const GROUP: usize = 144

/** The address of a block's scale. */
@inline export function scaleAddress(matrix: usize, row: i32, block: i32, blocks: i32): usize {
  return matrix + <usize>((row >> 2) * blocks + block) * GROUP + (<usize>(row & 3) << 2)
}

/** The address of a block's 32 weights. */
@inline export function weightsAddress(matrix: usize, row: i32, block: i32, blocks: i32): usize {
  return matrix + <usize>((row >> 2) * blocks + block) * GROUP + 16 + (<usize>(row & 3) << 5)
}
