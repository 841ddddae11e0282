/** The environment of executions. */
import type { ChainRules } from '../../chain/executed.ts'
import type { ChainReader } from '../../chain/reader.ts'
import type { Engines } from './engines.ts'

export type ExecutionWorld = {
  readonly chain: ChainReader
  readonly rules: ChainRules
  /** Maximum gas for one call, regardless of its gas limit. */
  readonly gasCap: bigint
  /** Maximum time of an execution of one transaction, in milliseconds. */
  readonly timeoutMs: number
  readonly engines: Engines
  /** Announces a step that must be over within so many milliseconds, or this thread is ended; undefined when it is over. */
  readonly limitStep?: ((milliseconds: number | undefined) => void) | undefined
}
