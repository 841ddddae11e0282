/** Calls and estimates under overrides. */
import { estimateGas, ExecutionRevertedError } from '../../chain/call.ts'
import { runCall } from '../../chain/callTransaction.ts'
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

/** The output of a message. Throws ExecutionRevertedError, RpcError and InvalidTransactionError. */
export function callUnder(world: ExecutionWorld, input: CallInput): Uint8Array {
  const { world: state, block, transaction } = prepareCall(world, input)
  const { status, output, error } = runCall(engineOf(world), block, transaction, state)
  if (status === 'revert') throw new ExecutionRevertedError(output)
  if (status === 'halt') throw new RpcError('server', error)
  return output.slice()
}

/** The gas limit with which a message succeeds. Throws like `callUnder`. */
export function estimateUnder(world: ExecutionWorld, input: CallInput): bigint {
  const { world: state, header } = prepareCall(world, input)
  const place = { engine: engineOf(world), rules: world.rules, header, state }
  return estimateGas(place, input.fields, {
    gasCap: world.gasCap,
    adjustBlock: (block) => overrideBlock(block, input.block ?? {}, input.state),
  })
}
