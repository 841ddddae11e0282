/** The protocol between the executor and its worker threads, by structured clone. */
import type { ChainRules } from '../../chain/executed.ts'
import type { PendingState } from '../pending/pendingView.ts'
import type { CallFields } from '../parameters/callObject.ts'

/** What a worker needs to open the chain on its own. */
export type CallWorkerData = {
  /** Folder of the chain's store, opened read-only. */
  readonly folder: string
  readonly rules: ChainRules
  /** Maximum gas for one call, regardless of its gas limit (json-rpc.gas-cap). */
  readonly gasCap: bigint
}

export type CallRequest = {
  readonly kind: 'call' | 'estimate'
  readonly fields: CallFields
  /** The state after this height. */
  readonly height: number
  /** The pending block, where the height is its own (D61). */
  readonly pending?: PendingState | undefined
}

export type CallAnswer =
  | { readonly type: 'output'; readonly output: Uint8Array }
  | { readonly type: 'gas'; readonly gas: bigint }
  /** The code reverted; `message` contains the reason where it could be decoded. */
  | { readonly type: 'revert'; readonly message: string; readonly data: Uint8Array }
  /** The call cannot succeed; the message is go-ethereum's. */
  | { readonly type: 'refusal'; readonly message: string }
  /** A fault of the worker; the caller does not see its details. */
  | { readonly type: 'fault'; readonly message: string }
