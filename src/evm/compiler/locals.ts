/** Parameters and fixed local variables of a compiled function. */
export const LOCAL = {
  frame: 0,
  gas: 1,
  /** The address of the lowest word that the superblock uses. */
  base: 2,
  sp: 3,
  stack: 4,
  /** The number of the superblock to go on with. */
  block: 5,
  /** No stretch of instructions begins that would leave less gas. */
  floor: 6,
  address: 7,
  vector: 8,
} as const
