/** What executions run on. */
import type { ChainRules } from '../../chain/executed.ts'
import type { ChainReader } from '../../chain/reader.ts'
import type { Engines } from './engines.ts'

export type ExecutionWorld = {
  readonly chain: ChainReader
  readonly rules: ChainRules
  /** Most gas for one call, whatever it asks for. */
  readonly gasCap: bigint
  /** Longest execution of one transaction, in milliseconds. */
  readonly timeoutMs: number
  readonly engines: Engines
}
