/** Transactions of type 0, 1, 2 and 4 (D19) before they are signed. */
import type { Transactable } from '../evm/transactable.ts'

/** The types that a block may contain. */
export type TransactionType = 0 | 1 | 2 | 4

/** The signed part of a transaction: the input of the state transition, and the chain id. */
export type UnsignedTransaction = Omit<Transactable, 'type' | 'sender' | 'blobs'> & {
  readonly type: TransactionType
  /** undefined for a legacy transaction from before EIP-155. */
  readonly chainId: bigint | undefined
}
