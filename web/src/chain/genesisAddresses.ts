/** Contracts that every chain has from genesis on (D52). */

/** contracts/Staking.sol. */
export const STAKING = '0x0000000000000000000000000000000000001001'
/** contracts/OperatorRegistry.sol. */
export const REGISTRY = '0x0000000000000000000000000000000000002001'
