/** What the node keeps of its chain, by its configuration. */
import { UserError } from '../base/errors.ts'
import { MIN_KEPT_BLOCKS, type PruningWindow } from '../ledger/prune.ts'
import type { NodeConfig } from '../config/node.ts'

/** The states that pruning "everything" leaves, and the fewest that a snapshot in the making needs. */
const FEWEST_STATES = 128

type PruningConfig = Pick<
  NodeConfig,
  | 'pruning'
  | 'pruning-keep-recent'
  | 'pruning-keep-blocks'
  | 'state.archive'
  | 'state-sync.snapshot-interval'
>

/** The windows; undefined keeps everything. Throws UserError where an archive is to be pruned, or what snapshots need. */
export function pruningOf(config: PruningConfig): PruningWindow | undefined {
  if (config.pruning === 'nothing') return undefined
  if (config['state.archive'])
    throw new UserError(
      `state.archive keeps every state, and pruning is "${config.pruning}"`,
      'Switch one of them off.',
    )
  if (
    config.pruning === 'custom' &&
    config['state-sync.snapshot-interval'] > 0 &&
    config['pruning-keep-recent'] < FEWEST_STATES
  )
    throw new UserError(
      `pruning-keep-recent is ${config['pruning-keep-recent']}, and snapshots are taken`,
      `A snapshot is read while blocks follow: keep ${FEWEST_STATES} states, or set state-sync.snapshot-interval to 0.`,
    )
  return config.pruning === 'everything'
    ? { states: FEWEST_STATES, blocks: MIN_KEPT_BLOCKS }
    : { states: config['pruning-keep-recent'], blocks: config['pruning-keep-blocks'] }
}
