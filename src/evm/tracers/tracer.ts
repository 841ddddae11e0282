/** What a tracer is: it watches one transaction run and tells what it saw, as JSON in go-ethereum's shapes (D16). */
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
  /** How many logs the block had before it. */
  readonly firstLogIndex: number
  /** Where it stands; undefined for a call. */
  readonly place?:
    | {
        readonly transactionHash: Uint8Array
        readonly transactionIndex: number
        readonly blockHash: Uint8Array
        readonly blockNumber: number
      }
    | undefined
}

/** One tracer at one transaction. */
export type Tracer = {
  readonly hooks: Hooks
  /** Of a kind that listens to steps. */
  readonly listener?: StepListener
  /** What it saw, once the transaction has ended: a JSON value, or pieces of ASCII JSON that it has written itself. */
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
