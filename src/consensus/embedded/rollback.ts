/**
 * Rolls back one height. The block stays decided: its signature has left this machine, so it is kept aside with its
 * commit, and the next start executes it again. No height is ever signed twice.
 */
import { UserError } from '../../base/errors.ts'
import type { Commit } from '../../proof/comet/types.ts'
import type { Genesis } from '../files/genesis.ts'
import type { BlockStore, PendingBlock } from './blockStore.ts'
import type { EngineState } from './state.ts'

/** The engine's state before its last block, and that block. Throws UserError when a rollback is impossible. */
export function beforeLastBlock(
  store: BlockStore,
  genesis: Genesis,
  transactions: (height: number) => readonly Uint8Array[],
): { readonly before: EngineState; readonly last: PendingBlock } {
  const state = store.state()
  const commit: Commit | undefined = store.seenCommit()
  if (state === undefined || commit === undefined)
    throw new UserError('the chain has no block yet', 'There is nothing to roll back.')
  if (store.pending() !== undefined)
    throw new UserError(
      `block ${commit.height + 1} is already rolled back`,
      'Start the node: it re-executes that block.',
    )
  const { height } = state
  if (height === genesis.initialHeight)
    throw new UserError('the first block has no state before it to roll back to')
  const header = store.block(height)?.header
  const validators = store.validators(height)
  const nextValidators = store.validators(height + 1)
  const params = store.params(height)
  const lastBlockTimeNs = store.block(height - 1)?.header.timeNs
  if (!header || !validators || !nextValidators || !params || lastBlockTimeNs === undefined)
    throw new UserError(`block ${height - 1} is not stored`, 'Restore a backup instead.')
  return {
    before: {
      height: height - 1,
      lastBlockId: header.lastBlockId,
      lastBlockTimeNs,
      validators,
      nextValidators,
      params,
      appHash: header.appHash,
      lastResultsHash: header.lastResultsHash,
    },
    last: { txs: transactions(height), commit },
  }
}
