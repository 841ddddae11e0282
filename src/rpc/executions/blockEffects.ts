/** The changes of a block, in steps: for the state roots between its transactions. */
import { runOn } from '../../ledger/replay.ts'
import { overlay } from '../../evm/overlay.ts'
import type { Effects } from '../../evm/types.ts'
import type { Execution } from './protocol.ts'
import { requireBlock } from './trace.ts'
import type { ExecutionWorld } from './world.ts'

/** The effects of the block itself, followed by those of each transaction. Throws RpcError. */
export function blockEffects(
  world: ExecutionWorld,
  { height }: Omit<Extract<Execution, { kind: 'blockEffects' }>, 'kind'>,
): readonly Effects[] {
  const { deadline } = world.engines
  const engine = world.engines.plain()
  const block = requireBlock(world, height)
  // A copy: the overlay's own effects accumulate what follows.
  const first = overlay(block.world)
  first.apply(block.world.effects())
  const steps: Effects[] = [first.effects()]
  for (const transaction of block.transactions) {
    deadline.restart(world.timeoutMs)
    const { effects } = runOn(engine, block, transaction)
    steps.push(effects)
    block.world.apply(effects)
  }
  return steps
}
