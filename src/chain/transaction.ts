/** A decoded Ethereum transaction of type 0, 1, 2 or 4 (D19) with its recovered sender. */
import type { AccessListEntry } from '../evm/types.ts'

/** An EIP-7702 authorization tuple. */
export type Authorization = {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/** The types that a block may carry. */
export type TransactionType = 0 | 1 | 2 | 4

/** A signed transaction, decoded and with its sender. Amounts are in the smallest unit. */
export type Transaction = {
  readonly type: TransactionType
  /** undefined for a legacy transaction from before EIP-155. */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  /** For types 0 and 1 both fee fields hold the gas price. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly gasLimit: bigint
  /** undefined creates a contract. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly authorizationList: readonly Authorization[]
  /** As on the wire: 27/28 or 35 + 2 * chainId + parity for type 0, the parity otherwise. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  /** The EIP-2718 bytes, as they stand in the block (D21). */
  readonly raw: Uint8Array
  /** Keccak-256 of `raw`. */
  readonly hash: Uint8Array
  readonly sender: Uint8Array
}
