/** The facts of a block as Ethereum clients see them (D5, D6, D51). The CometBFT header is a different record (proof/comet). */

/** Facts of one block. Hashes have 32 bytes, addresses 20, the bloom 256. */
export type BlockHeader = {
  readonly height: number
  /** CometBFT header hash; for height 0 the SHA-256 of genesis.json (D44). */
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  /** Header time in nanoseconds since 1970. */
  readonly timeNs: bigint
  /** Consensus address of the proposer. */
  readonly proposer: Uint8Array
  /** Reward address of the proposer: COINBASE and the `miner` field (D18). */
  readonly coinbase: Uint8Array
  /** Merkle-Patricia root after this block. */
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly baseFeePerGas: bigint
  /** PREVRANDAO (`mixHash`): Keccak(previous block hash, height). */
  readonly prevRandao: Uint8Array
  /** Bytes of application data, the same in both engines. */
  readonly size: number
}

/** The header's time in seconds. */
export function timestampOf({ timeNs }: Pick<BlockHeader, 'timeNs'>): bigint {
  return timeNs / 1_000_000_000n
}
