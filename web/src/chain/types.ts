/** Results of the Ethereum JSON-RPC, as far as pages show them. Quantities are hex strings. */

export type Transaction = {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly input: string
  readonly nonce: string
  readonly gas: string
  readonly type: string
  readonly blockNumber: string | null
  readonly blockHash: string | null
  /** Absent in nodes of former releases. */
  readonly blockTimestamp?: string | null
  readonly transactionIndex: string | null
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
}

export type Block = {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly stateRoot: string
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly miner: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly gasUsed: string
  readonly baseFeePerGas: string
  readonly size: string
  readonly transactions: readonly Transaction[]
}

export type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
  readonly transactionHash: string
  readonly blockNumber: string
}

export type Receipt = {
  readonly transactionHash: string
  readonly status: string
  readonly gasUsed: string
  readonly cumulativeGasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly logs: readonly Log[]
  readonly to: string | null
}

/** A call in callTracer's result. */
export type Call = {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly Call[]
}

/** An account of prestateTracer. */
export type AccountState = {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

/** prestateTracer's result with diffMode. */
export type StateDiff = {
  readonly pre: Readonly<Record<string, AccountState>>
  readonly post: Readonly<Record<string, AccountState>>
}

/** Answer of `commit` of the consensus RPC. */
export type Commit = {
  readonly signed_header: {
    readonly header: {
      readonly chain_id: string
      readonly height: string
      readonly time: string
      readonly app_hash: string
      readonly data_hash: string
      readonly last_results_hash: string
      readonly validators_hash: string
      readonly proposer_address: string
    }
    readonly commit: {
      readonly round: number
      readonly block_id: { readonly hash: string }
      readonly signatures: readonly {
        readonly block_id_flag: number
        readonly validator_address: string
        readonly timestamp: string
      }[]
    }
  }
}
