/** What the node keeps of its chain, according to its configuration. */
import { UserError } from '../base/errors.ts'
import { MIN_KEPT_BLOCKS, type PruningWindow } from '../ledger/prune.ts'
import type { NodeConfig } from '../config/node.ts'

/** Number of states that pruning "everything" keeps, and the minimum that a snapshot in progress needs. */
const FEWEST_STATES = 128

type PruningConfig = Pick<
  NodeConfig,
  | 'pruning'
  | 'pruning-keep-recent'
  | 'pruning-keep-blocks'
  | 'state.archive'
  | 'state-sync.snapshot-interval'
>

/**
 * The windows; undefined keeps everything. Throws UserError if this would prune an archive, or states that snapshots
 * need.
 */
export function pruningOf(config: PruningConfig): PruningWindow | undefined {
  if (config.pruning === 'nothing') return undefined
  if (config['state.archive'])
    throw new UserError(
      `state.archive keeps every state, and pruning is "${config.pruning}"`,
      'Disable one of them.',
    )
  if (
    config.pruning === 'custom' &&
    config['state-sync.snapshot-interval'] > 0 &&
    config['pruning-keep-recent'] < FEWEST_STATES
  )
    throw new UserError(
      `pruning-keep-recent is ${config['pruning-keep-recent']}, but snapshots are enabled`,
      `Blocks keep arriving while a snapshot is read: keep at least ${FEWEST_STATES} states, or set state-sync.snapshot-interval to 0.`,
    )
  return config.pruning === 'everything'
    ? { states: FEWEST_STATES, blocks: MIN_KEPT_BLOCKS }
    : { states: config['pruning-keep-recent'], blocks: config['pruning-keep-blocks'] }
}
