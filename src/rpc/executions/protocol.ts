/**
 * Executions that take longer than a call: the node's requests to its threads, and their answers, by structured clone.
 */
import type { ChainRules } from '../../chain/executed.ts'
import type { ListedAccount, ListedSlot } from '../../chain/reader.ts'
import type { AccessListEntry, Outcome } from '../../evm/types.ts'
import type { BlockProfile } from '../../wire/method.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { PendingState } from '../pending/pendingView.ts'
import type { CallFields } from '../parameters/callObject.ts'
import type { BlockOverrides, StateOverrides } from '../parameters/overrides.ts'
import type { SimulatePayload } from '../parameters/simulatePayload.ts'
import type { TraceConfig } from '../parameters/traceConfig.ts'

/** What a thread needs to open the chain on its own. */
export type ExecutionWorkerData = {
  readonly folder: string
  readonly rules: ChainRules
  readonly gasCap: bigint
  /** Maximum time of an execution of one transaction, in milliseconds. */
  readonly timeoutMs: number
}

/** A call on the state after a height, under overrides. */
export type CallInput = {
  readonly fields: CallFields
  readonly height: number
  readonly pending?: PendingState | undefined
  readonly state?: StateOverrides | undefined
  readonly block?: BlockOverrides | undefined
}

/** The result of eth_createAccessList, with bytes. */
export type AccessListAnswer = {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** '' when the message succeeds. */
  readonly error: string
}

/** Bundles of calls, in blocks that follow each other, on the state before a transaction of a block, or after the block. */
export type CallManyInput = {
  readonly bundles: readonly {
    readonly calls: readonly CallFields[]
    readonly block: BlockOverrides
  }[]
  readonly height: number
  readonly index: number | undefined
  readonly state: StateOverrides
  readonly timeoutMs?: number | undefined
}

export type CallManyAnswer = {
  readonly results: readonly (readonly Pick<Outcome, 'status' | 'output' | 'error'>[])[]
}

/** A page of slots, by the hashes of their numbers. */
export type StorageRange = {
  readonly slots: readonly { readonly hash: Uint8Array; slot: Uint8Array; value: Uint8Array }[]
  /** Hash of the first slot after the page. */
  readonly next: Uint8Array | undefined
}

/** An account of a page. Code and slots are present if requested. */
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

/** A part of a replay in OpenEthereum's format. */
export type ReplayPart = 'trace' | 'stateDiff' | 'vmTrace'

/** Builds the next block, and writes nothing (D61). */
export type BlockDraft = {
  /** Of the block before. */
  readonly height: number
  readonly timeNs: bigint
  /** Consensus address. */
  readonly proposer: Uint8Array
  /** Decided ahead of the transactions, on a chain for development (D56). */
  readonly edit: Uint8Array | undefined
  readonly transactions: readonly Transaction[]
}

/** An execution, on the pending block where that is given: its height is that block's then. */
export type Execution = Task & { readonly pending?: PendingState | undefined }

type Task =
  | ({ readonly kind: 'draft' } & BlockDraft)
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
  | ({ readonly kind: 'callMany' } & CallManyInput)
  /** The accounts that differ between the states after two heights. */
  | { readonly kind: 'modifiedAccounts'; readonly first: number; readonly last: number }
  /** The changes of a block, followed by those of each of its transactions. */
  | { readonly kind: 'blockEffects'; readonly height: number }
  | ({ readonly kind: 'call' | 'estimate' | 'accessList' } & CallInput)

export type ExecutionAnswer =
  | { readonly type: 'value'; readonly value: unknown }
  /** A value that is already JSON, as chunks of ASCII. */
  | { readonly type: 'json'; readonly pieces: readonly Uint8Array[] }
  /** With the message and the code that the caller receives. */
  | {
      readonly type: 'error'
      readonly code: number
      readonly message: string
      readonly data?: unknown
    }
  /** A fault of the thread; the caller does not see its details. */
  | { readonly type: 'fault'; readonly message: string }
