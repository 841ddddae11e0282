/** Executes code that callers supply, and gives outputs or the errors of the JSON-RPC. */
import { toHex } from '../../base/hex.ts'
import { RpcError } from '../../wire/errors.ts'
import type { CallFields } from '../callObject.ts'
import type { CallAnswer, CallRequest } from './protocol.ts'

export type CallExecutor = {
  /** What a message returns on the state after a height. Rejects with RpcError: 3 for a revert, -32000, -32002, -32005. */
  call(fields: CallFields, height: number): Promise<Uint8Array>
  /** Gas limit with which a message succeeds on the state after a height. Rejects like `call`. */
  estimate(fields: CallFields, height: number): Promise<bigint>
}

/** Whatever answers requests: worker threads in a node, the same thread in tests. It may reject with RpcError. */
export type CallRunner = (request: CallRequest) => Promise<CallAnswer>

/** An executor over a runner. `onFault` is told about faults, which callers only see as an internal error. */
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

  return {
    async call(fields, height) {
      const answer = await run({ kind: 'call', fields, height })
      if (answer.type === 'output') return answer.output
      throw failureOf(answer)
    },
    async estimate(fields, height) {
      const answer = await run({ kind: 'estimate', fields, height })
      if (answer.type === 'gas') return answer.gas
      throw failureOf(answer)
    },
  }
}
