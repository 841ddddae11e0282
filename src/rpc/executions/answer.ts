/** Answers one execution on a chain; runs in a worker thread, where it may run until its deadline. */
import { ExecutionRevertedError } from '../../chain/call.ts'
import { StateUnavailableError } from '../../chain/reader.ts'
import { toHex } from '../../base/hex.ts'
import { EngineMemoryError } from '../../evm/engineMemoryError.ts'
import { InvalidTransactionError } from '../../evm/invalidTransaction.ts'
import { RpcError } from '../../wire/errors.ts'
import { withPending } from '../pending/pendingView.ts'
import { createAccessList } from './accessList.ts'
import { accountRange } from './accountRange.ts'
import { blockEffects } from './blockEffects.ts'
import { callUnder, estimateUnder } from './call.ts'
import { draftBlock } from './draft.ts'
import { modifiedAccounts } from './modifiedAccounts.ts'
import { callMany } from './callMany.ts'
import type { Execution, ExecutionAnswer } from './protocol.ts'
import { replayBlock, replayCall, replayCalls, replayTransaction } from './replay.ts'
import { simulate } from './simulate.ts'
import { storageRange } from './storageRange.ts'
import { isWritten, traceBlock, traceCall, traceTransaction } from './trace.ts'
import type { ExecutionWorld } from './world.ts'

async function execute(world: ExecutionWorld, execution: Execution): Promise<unknown> {
  switch (execution.kind) {
    case 'traceTransaction':
      return await traceTransaction(world, execution)
    case 'traceBlock':
      return await traceBlock(world, execution)
    case 'traceCall':
      return await traceCall(world, execution)
    case 'replayTransaction':
      return replayTransaction(world, execution)
    case 'replayBlock':
      return replayBlock(world, execution)
    case 'replayCall':
      return replayCall(world, execution)
    case 'replayCalls':
      return replayCalls(world, execution)
    case 'storageRange':
      return storageRange(world, execution)
    case 'accountRange':
      return accountRange(world, execution)
    case 'blockEffects':
      return blockEffects(world, execution)
    case 'callMany':
      return callMany(world, execution)
    case 'modifiedAccounts':
      return modifiedAccounts(world, execution)
    case 'draft':
      return await draftBlock(world, execution)
    case 'simulate':
      return simulate(world, execution)
    case 'call':
      return callUnder(world, execution)
    case 'estimate':
      return estimateUnder(world, execution)
    default:
      return createAccessList(world, execution)
  }
}

function asRpcError(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error
  if (error instanceof ExecutionRevertedError)
    return new RpcError('reverted', error.message, toHex(error.output))
  if (
    error instanceof InvalidTransactionError ||
    error instanceof StateUnavailableError ||
    error instanceof EngineMemoryError
  )
    return new RpcError('server', error.message)
  return undefined
}

/** The result of an execution. Never rejects: any failure is an answer too. A world runs one at a time. */
export async function answerExecution(
  world: ExecutionWorld,
  execution: Execution,
): Promise<ExecutionAnswer> {
  try {
    const { pending } = execution
    const chain = pending ? withPending(world.chain, pending) : world.chain
    const value = await execute({ ...world, chain }, execution)
    return isWritten(value) ? { type: 'json', pieces: value } : { type: 'value', value }
  } catch (error) {
    const known = asRpcError(error)
    if (known) return { type: 'error', code: known.code, message: known.message, data: known.data }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { type: 'fault', message }
  } finally {
    world.engines.forget()
  }
}

/** The memory of a long answer, which is transferred to another thread, not copied: nothing may keep it. */
export function buffersOf(answer: ExecutionAnswer): ArrayBuffer[] {
  if (answer.type !== 'json') return []
  return [...new Set(answer.pieces.map(({ buffer }) => buffer as ArrayBuffer))]
}
