/** Executions for the methods: values, or errors of the JSON-RPC. */
import { RPC_ERRORS, RpcError } from '../../wire/errors.ts'
import { rawJson } from '../../wire/rawJson.ts'
import type { Execution, ExecutionAnswer } from './protocol.ts'

export type Executions = {
  /** Runs an execution. Rejects with RpcError. */
  run(execution: Execution): Promise<unknown>
}

/** Whatever answers: worker threads in a node, the same thread in tests. It may reject with RpcError. */
export type ExecutionRunner = (execution: Execution) => Promise<ExecutionAnswer>

function kindOf(code: number): keyof typeof RPC_ERRORS {
  const found = Object.entries(RPC_ERRORS).find(([, entry]) => entry.code === code)?.[0]
  return (found ?? 'server') as keyof typeof RPC_ERRORS
}

/** Executions over a runner. `onFault` is told about faults, which callers only see as an internal error. */
export function createExecutions(
  run: ExecutionRunner,
  onFault: (message: string) => void,
): Executions {
  return {
    async run(execution) {
      const answer = await run(execution)
      if (answer.type === 'value') return answer.value
      if (answer.type === 'json') return rawJson(answer.pieces)
      if (answer.type === 'error')
        throw new RpcError(kindOf(answer.code), answer.message, answer.data)
      onFault(answer.message)
      throw new RpcError('internal')
    },
  }
}
