/** Answers one call on a chain; runs in a worker thread, where it may run until its deadline. */
import { estimateGas, ExecutionRevertedError, simulateCall } from '../../chain/call.ts'
import type { ChainRules } from '../../chain/executed.ts'
import { StateUnavailableError, type ChainReader } from '../../chain/reader.ts'
import { EngineMemoryError } from '../../evm/engineMemoryError.ts'
import { InvalidTransactionError } from '../../evm/invalidTransaction.ts'
import { revertMessage } from '../../evm/revertReason.ts'
import type { Engine } from '../../evm/types.ts'
import { withPending } from '../pending/pendingView.ts'
import type { CallAnswer, CallRequest } from './protocol.ts'

export type CallWorld = {
  readonly chain: ChainReader
  readonly engine: Engine
  readonly rules: ChainRules
  /** Maximum gas for one call, regardless of its gas limit. */
  readonly gasCap: bigint
}

function revert(output: Uint8Array): CallAnswer {
  return { type: 'revert', message: revertMessage(output), data: output.slice() }
}

function execute(world: CallWorld, { kind, fields, height, pending }: CallRequest): CallAnswer {
  const { engine, rules, gasCap } = world
  const chain = pending ? withPending(world.chain, pending) : world.chain
  const header = chain.header(height)
  if (!header) return { type: 'refusal', message: 'header not found' }
  const place = { engine, rules, header, state: chain.stateAt(height) }
  if (kind === 'estimate') {
    const gas = estimateGas(place, fields, { gasCap })
    return { type: 'gas', gas }
  }
  const result = simulateCall(place, fields, { gasCap })
  if (result.status === 'revert') return revert(result.output)
  if (result.status === 'halt') return { type: 'refusal', message: result.error }
  // A copy: cloning a view would send the whole memory it belongs to.
  return { type: 'output', output: result.output.slice() }
}

/** The engine's poll found that the call takes too long for this thread. */
export class OverrunError extends Error {
  override readonly name = 'OverrunError'
}

/** The result of a call or an estimate. Throws only OverrunError: any other failure is a result too. */
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
