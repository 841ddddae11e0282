/**
 * Flags of Node itself for the process of the chain node. Transactions live for some hundred milliseconds, from the pool to
 * the disk: in a nursery of this size most of them end before they would be copied a second time. The old generation may
 * double before it is collected, instead of growing up to fourfold on a machine with much memory.
 */
export const CHAIN_NODE_OPTIONS: readonly string[] = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
]
