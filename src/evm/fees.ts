/** EIP-1559: a transaction's price per gas. */

type FeeFields = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** The smaller of fee cap and base fee plus tip. */
export function effectiveGasPrice(transaction: FeeFields, baseFeePerGas: bigint): bigint {
  const price = baseFeePerGas + transaction.maxPriorityFeePerGas
  return price < transaction.maxFeePerGas ? price : transaction.maxFeePerGas
}
