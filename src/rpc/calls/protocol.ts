/** What the executor and its worker threads tell each other, by structured clone. */
import type { ChainRules } from '../../chain/executed.ts'
import type { CallFields } from '../parameters/callObject.ts'

/** What a worker needs to open the chain for itself. */
export type CallWorkerData = {
  /** Folder of the chain's store, opened read-only. */
  readonly folder: string
  readonly rules: ChainRules
  /** Most gas for one call, whatever it asks for (json-rpc.gas-cap). */
  readonly gasCap: bigint
}

export type CallRequest = {
  readonly kind: 'call' | 'estimate'
  readonly fields: CallFields
  /** The state after this height. */
  readonly height: number
}

export type CallAnswer =
  | { readonly type: 'output'; readonly output: Uint8Array }
  | { readonly type: 'gas'; readonly gas: bigint }
  /** The code reverted; `message` has the reason where it could be read. */
  | { readonly type: 'revert'; readonly message: string; readonly data: Uint8Array }
  /** The call cannot succeed, in go-ethereum's words. */
  | { readonly type: 'refusal'; readonly message: string }
  /** A fault of the worker, which the caller need not see in full. */
  | { readonly type: 'fault'; readonly message: string }
