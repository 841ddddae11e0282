/** Addresses of the verification network's contracts in the genesis of our chains (D52). */

/** contracts/OperatorRegistry.sol. */
export const REGISTRY_ADDRESS = '0x0000000000000000000000000000000000002001'
/** contracts/JobReceipts.sol. */
export const RECEIPTS_ADDRESS = '0x0000000000000000000000000000000000002002'
