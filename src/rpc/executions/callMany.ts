/** eth_callMany: bundles of calls, each on the state that the calls before left. */
import { rethrow, withSuppliedGas } from '../../chain/call.ts'
import { runCallForEffects } from '../../chain/callTransaction.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import { overlay, type Overlay } from '../../evm/overlay.ts'
import { runFirst } from '../../ledger/replay.ts'
import { RpcError } from '../../wire/errors.ts'
import { overrideEffects, type BlockOverrides } from '../parameters/overrides.ts'
import { prepareOn } from './prepareCall.ts'
import type { CallManyAnswer, CallManyInput } from './protocol.ts'
import { requireBlock } from './trace.ts'
import type { ExecutionWorld } from './world.ts'

/** The state that the first call finds. Throws RpcError for an unknown block, or an index beyond its transactions. */
function stateBefore(
  { chain, engines, ...world }: ExecutionWorld,
  height: number,
  index: number | undefined,
): Overlay {
  if (index === undefined) return overlay(chain.stateAt(height))
  const block = requireBlock({ chain, engines, ...world }, height)
  if (index > block.transactions.length)
    throw new RpcError(
      'server',
      `transaction index ${index} out of range: the block has ${block.transactions.length}`,
    )
  runFirst(engines.plain(), block, index)
  return block.world
}

/** The overrides of the bundle after this one: a block and a second later, as in Erigon. */
function afterwards(overrides: BlockOverrides, header: BlockHeader): BlockOverrides {
  return {
    ...overrides,
    number: (overrides.number ?? BigInt(header.height)) + 1n,
    time: (overrides.time ?? timestampOf(header)) + 1n,
  }
}

/** The results of all calls, by bundle, within the time of one execution. Throws RpcError and InvalidTransactionError. */
export function callMany(
  world: ExecutionWorld,
  { bundles, height, index, state: overrides, timeoutMs = world.timeoutMs }: CallManyInput,
): CallManyAnswer {
  const header = world.chain.header(height)
  if (header === undefined) throw new RpcError('server', 'header not found')
  world.engines.deadline.restart(Math.min(timeoutMs, world.timeoutMs))
  const engine = world.engines.plain()
  const state = stateBefore(world, height, index)
  state.apply(overrideEffects(overrides, state))
  let block: BlockOverrides = {}
  const results = bundles.map((bundle) => {
    block = { ...block, ...bundle.block }
    const done = bundle.calls.map((fields) => {
      const call = prepareOn(world, state, { fields, height, block, state: overrides })
      try {
        const ran = runCallForEffects(engine, world.rules, call.block, call.transaction, state)
        state.apply(ran.effects)
        const { status, output, error } = ran
        return { status, output: output.slice(), error }
      } catch (error) {
        return rethrow(error, withSuppliedGas(call.transaction.gasLimit))
      }
    })
    block = afterwards(block, header)
    return done
  })
  return { results }
}
