/** Executes code that callers supply, and returns outputs or JSON-RPC errors. */
import { toHex } from '../../base/hex.ts'
import { RpcError } from '../../wire/errors.ts'
import type { PendingState } from '../pending/pendingView.ts'
import type { CallFields } from '../parameters/callObject.ts'
import type { CallAnswer, CallRequest } from './protocol.ts'

export type CallExecutor = {
  /**
   * The output of a message on the state after a height, which may be the pending block's: synchronously when the call was short. Throws, or rejects
   * with, RpcError: 3 for a revert, -32000, -32002, -32005.
   */
  call(fields: CallFields, height: number, pending?: PendingState): Uint8Array | Promise<Uint8Array>
  /** The gas limit with which a message succeeds on the state after a height. Fails like `call`. */
  estimate(fields: CallFields, height: number, pending?: PendingState): bigint | Promise<bigint>
}

/**
 * Answers call requests: worker threads in a node, which may reject with RpcError, or the same thread, which answers
 * synchronously: promises take a tenth of a short call's time.
 */
export type CallRunner = (request: CallRequest) => CallAnswer | Promise<CallAnswer>

/** An executor over a runner. `onFault` receives faults, which callers only see as an internal error. */
export function createCallExecutor(
  run: CallRunner,
  onFault: (message: string) => void,
): CallExecutor {
  function failureOf(answer: CallAnswer): RpcError {
    if (answer.type === 'revert')
      return new RpcError('reverted', answer.message, toHex(answer.data))
    if (answer.type === 'refusal') return new RpcError('server', answer.message)
    onFault(answer.type === 'fault' ? answer.message : `unexpected answer: ${answer.type}`)
    return new RpcError('internal')
  }

  function outputOf(answer: CallAnswer): Uint8Array {
    if (answer.type === 'output') return answer.output
    throw failureOf(answer)
  }

  function gasOf(answer: CallAnswer): bigint {
    if (answer.type === 'gas') return answer.gas
    throw failureOf(answer)
  }

  return {
    call(fields, height, pending) {
      const answer = run({ kind: 'call', fields, height, pending })
      return answer instanceof Promise ? answer.then(outputOf) : outputOf(answer)
    },
    estimate(fields, height, pending) {
      const answer = run({ kind: 'estimate', fields, height, pending })
      return answer instanceof Promise ? answer.then(gasOf) : gasOf(answer)
    },
  }
}
