/** A consensus engine as the node and its RPC see it, whichever engine runs (D20). */
import type { Block, BlockId, Commit, Validator } from '../proof/comet/types.ts'
import type { CheckTxResponse, ConsensusParams, FinalizeBlockResponse } from './application.ts'

/** A stored block with its id. */
export type StoredBlock = {
  readonly block: Block
  readonly blockId: BlockId
  /** Size of the block in protobuf encoding, in bytes. */
  readonly size: number
}

/** The consensus side's stored data. All reads are synchronous. */
export type ConsensusReader = {
  readonly chainId: string
  /** Text of genesis.json, exactly as in the home. */
  genesisJson(): string
  /** Height of the last committed block; 0 before the first. */
  height(): number
  earliestHeight(): number
  block(height: number): StoredBlock | undefined
  heightOfBlock(hash: Uint8Array): number | undefined
  /** The commit for a height and whether it is the canonical one (false for the tip's own seen commit). */
  commit(height: number): { readonly commit: Commit; readonly canonical: boolean } | undefined
  /** The validator set that signs a height; known up to height + 1. */
  validators(height: number): readonly Validator[] | undefined
  consensusParams(height: number): ConsensusParams | undefined
  /** The FinalizeBlock response for a height. */
  results(height: number): FinalizeBlockResponse | undefined
  /** Position of a transaction in its block, by SHA-256 of its bytes (D21). */
  findTransaction(hash: Uint8Array): { readonly height: number; readonly index: number } | undefined
  /** The state root after the last block, which the next header will contain. */
  appHash(): Uint8Array
  readonly validator: { readonly address: Uint8Array; readonly publicKey: Uint8Array }
  readonly node: {
    /** 40 lower-case hex digits. */
    readonly id: string
    readonly moniker: string
    readonly listenAddress: string
    readonly rpcAddress: string
    readonly appVersion: bigint
  }
}

/** A request that the consensus side refuses; the message is CometBFT's. */
export class ConsensusError extends Error {
  override readonly name = 'ConsensusError'
}

/** A running engine. */
export type ConsensusEngine = {
  readonly reader: ConsensusReader
  /**
   * Runs CheckTx, and adds the transaction to the pool when it passes. Unless `isKept` is false, the response waits until a
   * restart would not lose it (D64). Throws ConsensusError with CometBFT's message when the pool refuses it.
   */
  broadcast(tx: Uint8Array, isKept?: boolean): Promise<CheckTxResponse>
  /** Resolves once block 1 (or the first after a restart) is committed, so that "ready" is true (D44). */
  readonly ready: Promise<void>
  /** Stops block production after the current block. */
  stop(): Promise<void>
}
