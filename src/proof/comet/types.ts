/**
 * CometBFT v0.38 block data as plain types. Hashes have 32 bytes or none, addresses 20.
 * Instants are nanoseconds since 1970; ZERO_TIME_NS is Go's zero time, which absent signatures have.
 */

/** Go's `time.Time{}`: 0001-01-01T00:00:00Z. */
export const ZERO_TIME_NS = -62_135_596_800_000_000_000n

export type PartSetHeader = { readonly total: number; readonly hash: Uint8Array }

/** Empty hash and a zero part set if there is no block. */
export type BlockId = { readonly hash: Uint8Array; readonly parts: PartSetHeader }

export type Header = {
  readonly version: { readonly block: bigint; readonly app: bigint }
  readonly chainId: string
  readonly height: number
  readonly timeNs: bigint
  readonly lastBlockId: BlockId
  readonly lastCommitHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly validatorsHash: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
  readonly appHash: Uint8Array
  readonly lastResultsHash: Uint8Array
  readonly evidenceHash: Uint8Array
  readonly proposerAddress: Uint8Array
}

export type CommitSignature = {
  /** 1 absent, 2 commit, 3 nil. */
  readonly blockIdFlag: 1 | 2 | 3
  readonly validatorAddress: Uint8Array
  readonly timeNs: bigint
  readonly signature: Uint8Array
}

export type Commit = {
  readonly height: number
  readonly round: number
  readonly blockId: BlockId
  readonly signatures: readonly CommitSignature[]
}

export type Block = {
  readonly header: Header
  readonly txs: readonly Uint8Array[]
  /** The commit of the previous block; height 0 and no signatures at the initial height. */
  readonly lastCommit: Commit
}

export type Validator = {
  readonly address: Uint8Array
  readonly publicKey: Uint8Array
  readonly power: bigint
  readonly proposerPriority: bigint
}
