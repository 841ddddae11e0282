/**
 * Flags of Node itself for the process of the chain node. Transactions live for some hundred milliseconds, from the pool to
 * the disk: in a larger nursery most of them end before they would be copied a second time.
 */
export const CHAIN_NODE_OPTIONS: readonly string[] = ['--max-semi-space-size=32']
