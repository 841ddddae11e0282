/** A transaction as the state transition needs it; chain/'s Transaction satisfies it. */
import type { AccessListEntry } from './types.ts'

/** An EIP-7702 authorization tuple. */
export type Authorization = {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/**
 * A transaction with a known sender. Amounts are in the smallest unit; types 0 and 1 have the gas price in both fee
 * fields.
 */
export type Transactable = {
  readonly type: number
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly gasLimit: bigint
  /** undefined creates a contract. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  readonly authorizationList: readonly Authorization[]
  /**
   * Part of its signature, if there is one; 0 for unsigned transactions, as of impersonated accounts on a development
   * chain (D56).
   */
  readonly s?: bigint
  /** EIP-4844; only in state tests, our blocks contain no blobs (D19). */
  readonly blobs?: {
    readonly versionedHashes: readonly Uint8Array[]
    readonly maxFeePerBlobGas: bigint
  }
}
