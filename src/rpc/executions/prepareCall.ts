/** A call, ready to run: the state it starts from, its block, and the transaction that it stands for. */
import type { BlockHeader } from '../../chain/block.ts'
import { environmentOf, transactionOf } from '../../chain/callTransaction.ts'
import { overlay, type Overlay } from '../../evm/overlay.ts'
import type { Transactable } from '../../evm/transactable.ts'
import type { BlockEnvironment } from '../../evm/types.ts'
import { RpcError } from '../../wire/errors.ts'
import { overrideBlock, overrideEffects } from '../overrides.ts'
import type { CallInput } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

export type PreparedCall = {
  readonly header: BlockHeader
  readonly world: Overlay
  readonly block: BlockEnvironment
  readonly transaction: Transactable
}

/** Throws RpcError for an unknown block or impossible overrides, and StateUnavailableError. */
export function prepareCall(
  { chain, rules, gasCap }: ExecutionWorld,
  { fields, height, state, block }: CallInput,
): PreparedCall {
  const header = chain.header(height)
  if (!header) throw new RpcError('server', 'header not found')
  const world = overlay(chain.stateAt(height))
  if (state) world.apply(overrideEffects(state, world))
  const gas = fields.gas === undefined || fields.gas > gasCap ? gasCap : fields.gas
  const transaction = transactionOf(fields, world, gas)
  const environment = overrideBlock(environmentOf(rules, header, transaction), block ?? {})
  return { header, world, block: environment, transaction }
}
