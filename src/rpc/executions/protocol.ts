/** Executions that take longer than a call: what the node asks of its threads, and what they answer, by structured clone. */
import type { ChainRules } from '../../chain/executed.ts'
import type { ListedAccount, ListedSlot } from '../../chain/reader.ts'
import type { AccessListEntry } from '../../evm/types.ts'
import type { BlockProfile } from '../../wire/method.ts'
import type { CallFields } from '../parameters/callObject.ts'
import type { BlockOverrides, StateOverrides } from '../parameters/overrides.ts'
import type { SimulatePayload } from '../parameters/simulatePayload.ts'
import type { TraceConfig } from '../parameters/traceConfig.ts'

/** What a thread needs to open the chain for itself. */
export type ExecutionWorkerData = {
  readonly folder: string
  readonly rules: ChainRules
  readonly gasCap: bigint
  /** Longest execution of one transaction, in milliseconds. */
  readonly timeoutMs: number
}

/** A call on the state after a height, under overrides. */
export type CallInput = {
  readonly fields: CallFields
  readonly height: number
  readonly state?: StateOverrides | undefined
  readonly block?: BlockOverrides | undefined
}

/** What eth_createAccessList answers, with bytes. */
export type AccessListAnswer = {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** '' when the message succeeds. */
  readonly error: string
}

/** A page of slots, by the hashes of their numbers. */
export type StorageRange = {
  readonly slots: readonly { readonly hash: Uint8Array; slot: Uint8Array; value: Uint8Array }[]
  /** Hash of the first slot behind the page. */
  readonly next: Uint8Array | undefined
}

/** An account of a page. Code and slots are there where they were asked for. */
export type DumpedAccount = ListedAccount & {
  readonly hash: Uint8Array
  readonly code: Uint8Array | undefined
  readonly storage: readonly ListedSlot[] | undefined
}

/** A page of accounts, by the hashes of their addresses. */
export type AccountRange = {
  readonly stateRoot: Uint8Array
  readonly accounts: readonly DumpedAccount[]
  readonly next: Uint8Array | undefined
}

/** A part of a replay in OpenEthereum's shape. */
export type ReplayPart = 'trace' | 'stateDiff' | 'vmTrace'

export type Execution =
  | { readonly kind: 'traceTransaction'; height: number; index: number; config: TraceConfig }
  | { readonly kind: 'traceBlock'; height: number; config: TraceConfig }
  | ({ readonly kind: 'traceCall'; config: TraceConfig } & CallInput)
  | { kind: 'replayTransaction'; height: number; index: number; parts: readonly ReplayPart[] }
  | { kind: 'replayBlock'; height: number; parts: readonly ReplayPart[] }
  | { kind: 'replayCall'; fields: CallFields; parts: readonly ReplayPart[]; height: number }
  | {
      readonly kind: 'replayCalls'
      readonly calls: readonly { fields: CallFields; parts: readonly ReplayPart[] }[]
      readonly height: number
    }
  | { readonly kind: 'simulate'; payload: SimulatePayload; height: number; profile: BlockProfile }
  | {
      readonly kind: 'storageRange'
      readonly height: number
      /** The state before this transaction of the block. */
      readonly index: number
      readonly address: Uint8Array
      readonly start: Uint8Array
      readonly limit: number
    }
  | {
      readonly kind: 'accountRange'
      readonly height: number
      readonly start: Uint8Array
      readonly limit: number
      readonly withCode: boolean
      readonly withStorage: boolean
    }
  /** What a block and then each of its transactions changed. */
  | { readonly kind: 'blockEffects'; readonly height: number }
  | ({ readonly kind: 'call' | 'estimate' | 'accessList' } & CallInput)

export type ExecutionAnswer =
  | { readonly type: 'value'; readonly value: unknown }
  /** A value that is JSON already, as pieces of ASCII. */
  | { readonly type: 'json'; readonly pieces: readonly Uint8Array[] }
  /** In the words and with the code that the caller gets. */
  | {
      readonly type: 'error'
      readonly code: number
      readonly message: string
      readonly data?: unknown
    }
  /** A fault of the thread, which the caller need not see in full. */
  | { readonly type: 'fault'; readonly message: string }
