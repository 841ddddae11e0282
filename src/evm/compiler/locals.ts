/** Parameters and fixed local variables of a compiled function. */
export const LOCAL = {
  frame: 0,
  gas: 1,
  /** The address of the lowest word that the superblock uses. */
  base: 2,
  sp: 3,
  stack: 4,
  /** The number of the next superblock. */
  block: 5,
  /** A stretch of instructions begins only if at least this much gas remains after it. */
  floor: 6,
  address: 7,
  vector: 8,
} as const
