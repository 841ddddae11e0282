/** What executions run on. */
import type { ChainRules } from '../../chain/executed.ts'
import type { ChainReader } from '../../chain/reader.ts'

export type ExecutionWorld = {
  readonly chain: ChainReader
  readonly rules: ChainRules
  /** Most gas for one call, whatever it asks for. */
  readonly gasCap: bigint
  /** Longest execution of one transaction, in milliseconds. */
  readonly timeoutMs: number
  /** Mixed into the engines' hash tables. */
  readonly seed: bigint
}
