/** Replays stored transactions on the state that they ran on. */
import { overlay, type Overlay } from '../evm/overlay.ts'
import { applyTransaction, type TransitionResult } from '../evm/transition.ts'
import type { TransitionRules } from '../evm/rules.ts'
import type { BlockEnvironment, Engine } from '../evm/types.ts'
import { beginBlock } from '../chain/beginBlock.ts'
import type { BlockHeader } from '../chain/block.ts'
import { blockEnvironment, transitionRules } from '../chain/blockEnvironment.ts'
import { decodeEdit, editEffects } from '../chain/development/edit.ts'
import type { ChainRules } from '../chain/executed.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { Transaction } from '../chain/transaction.ts'

/** A block as it was before its first transaction. */
export type OpenBlock = {
  readonly header: BlockHeader
  readonly environment: BlockEnvironment
  readonly transition: TransitionRules
  /** The state that its transactions change. */
  readonly world: Overlay
  readonly transactions: readonly Transaction[]
}

/**
 * A stored block before its first transaction. Undefined for the genesis and unknown heights. Throws
 * StateUnavailableError.
 */
export function openBlock(
  chain: ChainReader,
  rules: ChainRules,
  height: number,
): OpenBlock | undefined {
  const header = chain.header(height)
  const parent = height > 0 ? chain.header(height - 1) : undefined
  const transactions = chain.transactions(height)
  if (!header || !parent || !transactions) return undefined
  const state = chain.stateAt(height - 1)
  const world = overlay(state)
  beginBlock(world, rules, parent)
  const edit = rules.isDevelopment === true && decodeEdit(chain.decided(height)?.[0]?.raw)
  if (edit && edit.height === height) world.apply(editEffects(edit, world))
  return {
    header,
    environment: blockEnvironment(rules, header, world),
    transition: transitionRules(rules),
    world,
    transactions,
  }
}

/** Runs one transaction of an open block, without applying its effects. */
export function runOn(
  engine: Engine,
  { environment, transition, world }: Pick<OpenBlock, 'environment' | 'transition' | 'world'>,
  transaction: Transaction,
): TransitionResult {
  return applyTransaction(engine, transaction, environment, world, transition)
}

/** Runs the first `count` transactions of an open block. */
export function runFirst(engine: Engine, block: OpenBlock, count: number): void {
  for (const transaction of block.transactions.slice(0, count))
    block.world.apply(runOn(engine, block, transaction).effects)
}
