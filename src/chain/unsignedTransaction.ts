/** Transactions of type 0, 1, 2 and 4 (D19) before they are signed. */
import type { Authorization } from '../evm/transactable.ts'
import type { AccessListEntry } from '../evm/types.ts'

/** The types that a block may carry. */
export type TransactionType = 0 | 1 | 2 | 4

/** What a sender signs. Amounts are in the smallest unit. */
export type UnsignedTransaction = {
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
}
