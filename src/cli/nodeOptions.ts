/**
 * Flags of Node itself for the process of the chain node. Transactions live for some hundred milliseconds, from the pool to
 * the disk: in a nursery of this size most of them end before they would be copied a second time. The old generation may
 * grow threefold before it is collected: fourfold, as on a machine with much memory, saves little time, and twofold costs
 * an ERC-20 transfer a tenth more.
 */
export const CHAIN_NODE_OPTIONS: readonly string[] = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=200',
]
