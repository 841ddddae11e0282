/**
 * The ABCI 2.0 application interface of CometBFT v0.38 (D20) with plain types: what an engine requires of an
 * application. The embedded engine calls it directly.
 */

/** Timestamps are nanoseconds since 1970: CometBFT's times do not fit into a JavaScript Date. */
export type TimeNs = bigint

export type ValidatorUpdate = {
  readonly type: 'ed25519'
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: bigint
}

export type ConsensusParams = {
  readonly block: { readonly maxBytes: bigint; readonly maxGas: bigint }
  readonly evidence: {
    readonly maxAgeNumBlocks: bigint
    readonly maxAgeDurationNs: bigint
    readonly maxBytes: bigint
  }
  readonly validator: { readonly publicKeyTypes: readonly string[] }
  readonly version: { readonly app: bigint }
  readonly abci: { readonly voteExtensionsEnableHeight: bigint }
}

export type EventAttribute = {
  readonly key: string
  readonly value: string
  readonly index: boolean
}
export type ApplicationEvent = {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

export type InfoResponse = {
  readonly data: string
  readonly version: string
  readonly appVersion: bigint
  readonly lastBlockHeight: number
  /** Empty before the first block. */
  readonly lastBlockAppHash: Uint8Array
}

export type InitChainRequest = {
  readonly time: TimeNs
  readonly chainId: string
  readonly consensusParams: ConsensusParams
  readonly validators: readonly ValidatorUpdate[]
  /** JSON text of genesis `app_state`, as UTF-8. */
  readonly appState: Uint8Array
  readonly initialHeight: number
}
export type InitChainResponse = {
  readonly validators: readonly ValidatorUpdate[]
  readonly appHash: Uint8Array
}

export type CheckTxResponse = {
  /** 0 accepts. */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
}

export type Misbehavior = {
  readonly type: 'duplicate-vote' | 'light-client-attack'
  readonly validatorAddress: Uint8Array
  readonly validatorPower: bigint
  readonly height: number
  readonly time: TimeNs
  readonly totalVotingPower: bigint
}
export type VoteInfo = {
  readonly validatorAddress: Uint8Array
  readonly power: bigint
  /** As in a commit: 1 absent, 2 commit, 3 nil. */
  readonly blockIdFlag: 1 | 2 | 3
}
export type CommitInfo = { readonly round: number; readonly votes: readonly VoteInfo[] }

export type PrepareProposalRequest = {
  /** Maximum total size of the proposal's transactions in protobuf encoding. */
  readonly maxTxBytes: number
  /** The contents of the engine's own pool; an application with a pool of its own may ignore it. */
  readonly txs: readonly Uint8Array[]
  readonly localLastCommit: CommitInfo
  readonly misbehavior: readonly Misbehavior[]
  readonly height: number
  readonly time: TimeNs
  readonly nextValidatorsHash: Uint8Array
  readonly proposerAddress: Uint8Array
}

export type ProposedBlock = {
  readonly txs: readonly Uint8Array[]
  readonly decidedLastCommit: CommitInfo
  readonly misbehavior: readonly Misbehavior[]
  /** CometBFT header hash of this block. */
  readonly hash: Uint8Array
  readonly height: number
  readonly time: TimeNs
  readonly nextValidatorsHash: Uint8Array
  readonly proposerAddress: Uint8Array
}

export type ExecTxResult = {
  readonly code: number
  readonly data: Uint8Array
  readonly log: string
  readonly info: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly ApplicationEvent[]
  readonly codespace: string
}

export type FinalizeBlockResponse = {
  readonly events: readonly ApplicationEvent[]
  readonly txResults: readonly ExecTxResult[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  readonly consensusParamUpdates: ConsensusParams | undefined
  readonly appHash: Uint8Array
}

export type QueryRequest = {
  readonly path: string
  readonly data: Uint8Array
  /** 0 is the latest height. */
  readonly height: number
  readonly prove: boolean
}
export type QueryResponse = {
  readonly code: number
  readonly log: string
  readonly info: string
  readonly index: bigint
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly height: number
  readonly codespace: string
}

/** A snapshot of the state at a height, in chunks: byte-identical on every node that takes it. */
export type Snapshot = {
  readonly height: number
  /** Version of the encoding of metadata and chunks. */
  readonly format: number
  /** Number of chunks; they are numbered from 0. */
  readonly chunks: number
  /** 32-byte hash of the whole snapshot. Snapshots with the same height, format, chunks and hash are identical. */
  readonly hash: Uint8Array
  /** What the application needs to check chunks; at most 4 MB. */
  readonly metadata: Uint8Array
}

export type OfferSnapshotRequest = {
  readonly snapshot: Snapshot
  /** App hash after the snapshot's height, as a light client knows it from the next header. */
  readonly appHash: Uint8Array
}
/**
 * `abort` ends state sync; the others ask for another snapshot: any, one of another format, or one from another peer.
 */
export type OfferSnapshotResult = 'accept' | 'abort' | 'reject' | 'reject-format' | 'reject-sender'

export type ApplySnapshotChunkRequest = {
  readonly index: number
  readonly chunk: Uint8Array
  /** The peer that sent the chunk. */
  readonly sender: string
}
export type ApplySnapshotChunkResponse = {
  /** `retry` repeats this chunk, `retry-snapshot` all of them, `reject-snapshot` asks for another snapshot. */
  readonly result: 'accept' | 'abort' | 'retry' | 'retry-snapshot' | 'reject-snapshot'
  /** Chunks to fetch again, regardless of the result. */
  readonly refetchChunks: readonly number[]
  /** Peers from which no more chunks should be accepted. */
  readonly rejectSenders: readonly string[]
}

/** The part of an application that state sync uses: serving snapshots and restoring them. */
export type SnapshotApplication = {
  listSnapshots(): readonly Snapshot[]
  /** One chunk; empty when it does not exist. */
  loadSnapshotChunk(snapshot: {
    readonly height: number
    readonly format: number
    readonly chunk: number
  }): Promise<Uint8Array>
  /** Decides whether to restore a snapshot. A restore in progress is abandoned. */
  offerSnapshot(request: OfferSnapshotRequest): Promise<OfferSnapshotResult>
  /** Applies the next chunk of the accepted snapshot, in order. After the last one, `info` reports its height. */
  applySnapshotChunk(request: ApplySnapshotChunkRequest): Promise<ApplySnapshotChunkResponse>
}

/**
 * An application. It writes to disk only in `commit` and when it restores a snapshot, and never throws because of a
 * transaction's contents.
 */
export type Application = SnapshotApplication & {
  info(): InfoResponse
  initChain(request: InitChainRequest): InitChainResponse
  checkTx(tx: Uint8Array, recheck: boolean): Promise<CheckTxResponse>
  /** The transactions of the next block, in order: from those given, from a pool of the application's own, or from both. */
  prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]>
  /** Whether a proposed block may be voted for. */
  processProposal(block: ProposedBlock): Promise<'accept' | 'reject'>
  /** Executes a decided block and writes nothing yet. */
  finalizeBlock(block: ProposedBlock): Promise<FinalizeBlockResponse>
  /**
   * Writes the result of `finalizeBlock`. The store's write transactions nest: an engine that writes the block and its
   * own state in the same `kv.write` gets one synced transaction for everything (D53). Returns the height below which
   * blocks are no longer needed (0 keeps all).
   */
  commit(): { readonly retainHeight: number }
  query(request: QueryRequest): QueryResponse
}
