/** The outcome of an included transaction. */
import type { Log } from '../evm/types.ts'

/** A receipt (interface.md, "Transaction receipt"). */
export type Receipt = {
  readonly type: number
  /** 1 for success, 0 for a transaction that was included and failed (D7). */
  readonly status: 0 | 1
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly contractAddress: Uint8Array | undefined
  readonly logs: readonly Log[]
  readonly logsBloom: Uint8Array
  /** Block-wide index of the first log. */
  readonly firstLogIndex: number
}
