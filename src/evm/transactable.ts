/** What the state transition needs to know of a transaction; chain/'s Transaction satisfies it. */
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

/** A transaction with a known sender. Amounts are in the smallest unit; types 0 and 1 hold the gas price in both fee fields. */
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
  /** Of its signature, where there is one; 0 where nobody signed, as impersonated accounts on a chain for development (D56). */
  readonly s?: bigint
  /** EIP-4844; only in state tests, blocks here carry no blobs (D19). */
  readonly blobs?: {
    readonly versionedHashes: readonly Uint8Array[]
    readonly maxFeePerBlobGas: bigint
  }
}
