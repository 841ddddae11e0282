/**
 * Node.js flags for the process of the chain node. Transactions live for some hundred milliseconds, from the pool to
 * the disk: in a young generation of this size, most of them die before they would be copied a second time. The old
 * generation may grow threefold before it is collected: fourfold, as on a machine with much memory, saves little time,
 * and twofold makes an ERC-20 transfer 10 % slower.
 */
export const CHAIN_NODE_OPTIONS: readonly string[] = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=200',
]
