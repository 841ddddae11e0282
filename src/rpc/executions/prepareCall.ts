/** A call, ready to run: the state it starts from, its block, and the transaction that represents it. */
import type { BlockHeader } from '../../chain/block.ts'
import { environmentOf, transactionOf } from '../../chain/callTransaction.ts'
import { overlay, type Overlay } from '../../evm/overlay.ts'
import type { Transactable } from '../../evm/transactable.ts'
import type { BlockEnvironment } from '../../evm/types.ts'
import { RpcError } from '../../wire/errors.ts'
import { overrideBlock, overrideEffects } from '../parameters/overrides.ts'
import type { CallInput } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

export type PreparedCall = {
  readonly header: BlockHeader
  readonly world: Overlay
  readonly block: BlockEnvironment
  readonly transaction: Transactable
}

/** A call on a state of its own: the one after a block, under overrides. Throws like `prepareOn`. */
export function prepareCall(world: ExecutionWorld, input: CallInput): PreparedCall {
  const state = overlay(world.chain.stateAt(input.height))
  if (input.state) state.apply(overrideEffects(input.state, state))
  return prepareOn(world, state, input)
}

/**
 * A call on a given state, in the block that it selects. Throws RpcError for an unknown block or impossible overrides,
 * and StateUnavailableError.
 */
export function prepareOn(
  { chain, rules, gasCap }: ExecutionWorld,
  state: Overlay,
  { fields, height, block, state: overrides }: CallInput,
): PreparedCall {
  const header = chain.header(height)
  if (!header) throw new RpcError('server', 'header not found')
  const gas = fields.gas === undefined || fields.gas > gasCap ? gasCap : fields.gas
  const transaction = transactionOf(fields, state, gas)
  const environment = overrideBlock(
    environmentOf(rules, header, state, transaction),
    block ?? {},
    overrides,
    transaction.maxFeePerGas === 0n,
  )
  return { header, world: state, block: environment, transaction }
}
