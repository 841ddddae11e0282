/** What the node keeps of its chain, according to its configuration. */
import { UserError } from '../base/errors.ts'
import { MIN_KEPT_BLOCKS, type PruningWindow } from '../ledger/prune.ts'
import type { NodeConfig } from '../config/node.ts'

/** Number of states that pruning "everything" keeps, and the minimum that a snapshot in progress needs. */
const FEWEST_STATES = 128

/** Blocks between snapshots on a network, unless the configuration says otherwise: new nodes need one to start from. */
const NETWORK_SNAPSHOT_INTERVAL = 5000

type PruningConfig = Pick<
  NodeConfig,
  | 'consensus.engine'
  | 'pruning'
  | 'pruning-keep-recent'
  | 'pruning-keep-blocks'
  | 'state.archive'
  | 'state-sync.snapshot-interval'
>

/** Number of blocks between snapshots, 0 for none: by default some on a network whose states are kept long enough (D97). */
export function snapshotIntervalOf(config: PruningConfig): number {
  const { 'state-sync.snapshot-interval': wanted } = config
  if (wanted !== undefined) return wanted
  const isReadable = config.pruning !== 'custom' || config['pruning-keep-recent'] >= FEWEST_STATES
  return config['consensus.engine'] === 'cometbft' && isReadable ? NETWORK_SNAPSHOT_INTERVAL : 0
}

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
    snapshotIntervalOf(config) > 0 &&
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
