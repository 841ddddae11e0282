/** Answers one call on a chain; runs in a worker thread, where it may take as long as it is let. */
import { estimateGas, ExecutionRevertedError, simulateCall } from '../../chain/call.ts'
import type { ChainRules } from '../../chain/executed.ts'
import { StateUnavailableError, type ChainReader } from '../../chain/reader.ts'
import { EngineMemoryError } from '../../evm/engineMemoryError.ts'
import { InvalidTransactionError } from '../../evm/invalidTransaction.ts'
import { revertMessage } from '../../evm/revertReason.ts'
import type { Engine } from '../../evm/types.ts'
import type { CallAnswer, CallRequest } from './protocol.ts'

export type CallWorld = {
  readonly chain: ChainReader
  readonly engine: Engine
  readonly rules: ChainRules
  /** Most gas for one call, whatever it asks for. */
  readonly gasCap: bigint
}

function revert(output: Uint8Array): CallAnswer {
  return { type: 'revert', message: revertMessage(output), data: output.slice() }
}

function execute(world: CallWorld, { kind, fields, height }: CallRequest): CallAnswer {
  const { chain, engine, rules, gasCap } = world
  const header = chain.header(height)
  if (!header) return { type: 'refusal', message: 'header not found' }
  const state = chain.stateAt(height)
  if (kind === 'estimate') {
    const gas = estimateGas(engine, rules, header, state, fields, { gasCap })
    return { type: 'gas', gas }
  }
  const result = simulateCall(engine, rules, header, state, fields, { gasCap })
  if (result.status === 'revert') return revert(result.output)
  if (result.status === 'halt') return { type: 'refusal', message: result.error }
  // A copy of its own: cloning a view would send the whole memory behind it.
  return { type: 'output', output: result.output.slice() }
}

/** The engine's poll says that the call takes too long for where it runs. */
export class OverrunError extends Error {
  override readonly name = 'OverrunError'
}

/** What a call or an estimate comes to. Throws OverrunError alone: whatever else went wrong is an answer too. */
export function answerCall(world: CallWorld, request: CallRequest): CallAnswer {
  try {
    return execute(world, request)
  } catch (error) {
    if (error instanceof OverrunError) throw error
    if (error instanceof ExecutionRevertedError) return revert(error.output)
    if (
      error instanceof InvalidTransactionError ||
      error instanceof StateUnavailableError ||
      error instanceof EngineMemoryError
    )
      return { type: 'refusal', message: error.message }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { type: 'fault', message }
  }
}
