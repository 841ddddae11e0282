/** Calls and estimates under overrides. */
import { estimateGas, ExecutionRevertedError, rethrow, withSuppliedGas } from '../../chain/call.ts'
import { runCall } from '../../chain/callTransaction.ts'
import type { TransitionResult } from '../../evm/transition.ts'
import type { Engine } from '../../evm/types.ts'
import { RpcError } from '../../wire/errors.ts'
import { overrideBlock } from '../parameters/overrides.ts'
import { prepareCall } from './prepareCall.ts'
import type { CallInput } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

function engineOf({ engines, timeoutMs }: ExecutionWorld): Engine {
  engines.deadline.restart(timeoutMs)
  return engines.plain()
}

function runOrExplain(...call: Parameters<typeof runCall>): TransitionResult {
  try {
    return runCall(...call)
  } catch (error) {
    const [, , { gasLimit }] = call
    return rethrow(error, withSuppliedGas(gasLimit))
  }
}

/** The output of a message. Throws ExecutionRevertedError, RpcError and InvalidTransactionError. */
export function callUnder(world: ExecutionWorld, input: CallInput): Uint8Array {
  const { world: state, block, transaction } = prepareCall(world, input)
  const { status, output, error } = runOrExplain(engineOf(world), block, transaction, state)
  if (status === 'revert') throw new ExecutionRevertedError(output)
  if (status === 'halt') throw new RpcError('server', error)
  return output.slice()
}

/** The gas limit with which a message succeeds. Throws like `callUnder`. */
export function estimateUnder(world: ExecutionWorld, input: CallInput): bigint {
  const { world: state, header, transaction } = prepareCall(world, input)
  const isFree = transaction.maxFeePerGas === 0n
  const place = { engine: engineOf(world), rules: world.rules, header, state }
  return estimateGas(place, input.fields, {
    gasCap: world.gasCap,
    adjustBlock: (block) => overrideBlock(block, input.block ?? {}, input.state, isFree),
  })
}
