/**
 * The interface of tracers: they observe one transaction and report what they saw, as JSON in go-ethereum's formats
 * (D16).
 */
import type { Hooks } from '../hooks.ts'
import type { Transactable } from '../transactable.ts'
import type { TransitionResult } from '../transition.ts'
import type { BlockEnvironment, StateView } from '../types.ts'
import type { StepListener } from '../wasm/tracing.ts'

/** The transaction that is about to run. */
export type TracedRun = {
  readonly transaction: Transactable
  readonly block: BlockEnvironment
  /** The state before it. */
  readonly state: StateView
  /** Number of logs in the block before it. */
  readonly firstLogIndex: number
  /** Its position; undefined for a call. */
  readonly place?:
    | {
        readonly transactionHash: Uint8Array
        readonly transactionIndex: number
        readonly blockHash: Uint8Array
        readonly blockNumber: number
      }
    | undefined
}

/** One tracer for one transaction. */
export type Tracer = {
  readonly hooks: Hooks
  /** Set by kinds that listen to steps. */
  readonly listener?: StepListener
  /** Its result, once the transaction has ended: a JSON value, or chunks of ASCII JSON that it has written itself. */
  result(outcome: TransitionResult): unknown
}

/** A tracer with its configuration, ready for any number of transactions. */
export type TracerKind = {
  /** Whether its tracers watch steps, which makes execution slow. */
  readonly watchesSteps: boolean
  /** Whether they read steps in the core's memory. */
  readonly listensToSteps?: boolean
  start(run: TracedRun): Tracer
}
