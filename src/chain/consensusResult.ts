/** The result of a decided transaction, as the consensus side records it (D7). */

/** Why a block's transaction has no receipt, or its consensus code. */
export type ConsensusResult = {
  /** RESULT_SUCCESS, RESULT_FAILED or RESULT_REFUSED. */
  readonly code: number
  /** '' with code 0, otherwise CODESPACE. */
  readonly codespace: string
  readonly log: string
  /** Keccak-256 of the EIP-2718 receipt encoding (D6); empty for a refused transaction. */
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
}

/** Included and successful. */
export const RESULT_SUCCESS = 0
/** Included, and reverted or failed. */
export const RESULT_FAILED = 1
/** Decided, but undecodable or unaffordable: it has no receipt and no place in the Ethereum view. */
export const RESULT_REFUSED = 2

/** Codespace of every code other than 0. */
export const CODESPACE = 'evm'
