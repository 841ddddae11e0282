/** Executions for the methods: values, or JSON-RPC errors. */
import { RPC_ERRORS, RpcError } from '../../wire/errors.ts'
import { rawJson } from '../../wire/rawJson.ts'
import type { AccessListAnswer, CallInput, Execution, ExecutionAnswer } from './protocol.ts'

export type Executions = {
  /** Runs an execution. Rejects with RpcError. */
  run(execution: Execution): Promise<unknown>
  /** The output of a message under overrides. Rejects with RpcError, 3 for a revert. */
  call(input: CallInput): Promise<Uint8Array>
  /** Gas limit with which a message succeeds under overrides. Rejects with RpcError. */
  estimate(input: CallInput): Promise<bigint>
  /** The access list of a message, and the gas that the message uses with it. Rejects with RpcError. */
  accessList(input: CallInput): Promise<AccessListAnswer>
}

/** Answers executions: worker threads in a node, the same thread in tests. It may reject with RpcError. */
export type ExecutionRunner = (execution: Execution) => Promise<ExecutionAnswer>

function kindOf(code: number): keyof typeof RPC_ERRORS {
  const found = Object.entries(RPC_ERRORS).find(([, entry]) => entry.code === code)?.[0]
  return (found ?? 'server') as keyof typeof RPC_ERRORS
}

/** Executions over a runner. `onFault` receives faults, which callers only see as an internal error. */
export function createExecutions(
  run: ExecutionRunner,
  onFault: (message: string) => void,
): Executions {
  async function valueOf(execution: Execution): Promise<unknown> {
    const answer = await run(execution)
    if (answer.type === 'value') return answer.value
    if (answer.type === 'json') return rawJson(answer.pieces)
    if (answer.type === 'error')
      throw new RpcError(kindOf(answer.code), answer.message, answer.data)
    onFault(answer.message)
    throw new RpcError('internal')
  }

  return {
    run: valueOf,
    // The kind of an execution determines the type of its value.
    call: async (input) => (await valueOf({ kind: 'call', ...input })) as Uint8Array,
    estimate: async (input) => (await valueOf({ kind: 'estimate', ...input })) as bigint,
    accessList: async (input) =>
      (await valueOf({ kind: 'accessList', ...input })) as AccessListAnswer,
  }
}
