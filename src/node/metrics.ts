/** The node's metrics, for Prometheus. No metric distinguishes individual accounts, clients or tokens. */
import fs from 'node:fs'
import path from 'node:path'
import { metric, type Metrics } from '../base/metricTable.ts'
import type { Timer } from '../base/timings.ts'
import type { ChainStore } from '../ledger/store.ts'
import { RESULT_REFUSED } from '../chain/consensusResult.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { ScrubStatistics } from '../consensus/scrub/scrubber.ts'
import type { Home } from '../config/home.ts'
import type { EventBus } from '../events/bus.ts'
import type { WorkerPoolLoad } from '../rpc/workers/workerPool.ts'
import type { World } from '../rpc/world.ts'
import type { Kv } from '../store/kv.ts'
import type { CallObserver } from '../wire/dispatch.ts'
import { readDatedFiles } from './datedFiles.ts'

/** Every metric by its name; docs/metrics.md is generated from this table. */
export const NODE_METRICS = {
  assay_block_height: metric('gauge', [], 'Height of the last block.'),
  assay_block_timestamp_seconds: metric(
    'gauge',
    [],
    'Time of the last block, as a Unix timestamp.',
  ),
  assay_block_gas_used: metric('gauge', [], 'Gas used by the last block.'),
  assay_block_gas_limit: metric('gauge', [], 'Gas limit of the last block.'),
  assay_base_fee_wei: metric('gauge', [], 'Base fee of the last block.'),
  assay_transactions_total: metric(
    'counter',
    ['outcome'],
    'Transactions in blocks since startup: success, reverted or refused.',
  ),
  assay_gas_used_total: metric('counter', [], 'Gas used by blocks since startup.'),
  assay_pool_transactions: metric(
    'gauge',
    ['state'],
    'Transactions in the pool: pending (executable) or queued (behind a nonce gap).',
  ),
  assay_pool_journal_bytes: metric(
    'gauge',
    [],
    "Size of the pool's journal (mempool.durable), in bytes.",
  ),
  assay_pool_journal_group_seconds: metric(
    'histogram',
    [],
    'Time in which a group of acknowledged transactions was written and synced.',
  ),
  assay_peers: metric('gauge', [], 'Number of connected peers.'),
  assay_syncing: metric('gauge', [], 'Whether the node is behind its network: 1 or 0.'),
  assay_sync_lag_blocks: metric(
    'gauge',
    [],
    'Heights between the last block and the highest known one.',
  ),
  assay_consensus_round: metric(
    'gauge',
    [],
    'Round in which the block before the last one was decided: 0 unless a proposal failed.',
  ),
  assay_validator_missed_signatures_total: metric(
    'counter',
    [],
    "Blocks since startup whose commit lacks this node's validator, which is in the set.",
  ),
  assay_validator_signer_connected: metric(
    'gauge',
    [],
    'Whether the remote signer of the embedded engine is connected: 1 or 0; absent without one.',
  ),
  assay_snapshot_height: metric('gauge', [], 'Height of the newest state-sync snapshot; 0: none.'),
  assay_snapshot_timestamp_seconds: metric(
    'gauge',
    [],
    'Time of that snapshot, as a Unix timestamp; 0: none.',
  ),
  assay_backup_height: metric(
    'gauge',
    [],
    'Height of the last backup of this home by assay node backup; 0: none.',
  ),
  assay_backup_timestamp_seconds: metric(
    'gauge',
    [],
    'Time of that backup, as a Unix timestamp; 0: none.',
  ),
  assay_rpc_request_seconds: metric(
    'histogram',
    ['method', 'code'],
    'Duration of JSON-RPC calls, by method ("unknown" for unknown ones) and error code (0: none).',
  ),
  assay_websocket_clients: metric('gauge', [], 'Number of connected WebSocket clients.'),
  assay_call_threads: metric(
    'gauge',
    ['pool', 'state'],
    'Threads for calls (eth_call and the like) or traces: busy or idle.',
  ),
  assay_call_queue: metric('gauge', ['pool'], 'Calls or traces waiting for a thread.'),
  assay_sender_recoveries_total: metric(
    'counter',
    ['where'],
    'Senders recovered from signatures, on a dedicated thread or on the main thread.',
  ),
  assay_sender_batches_total: metric(
    'counter',
    ['where'],
    'Batches of signatures for sender recovery.',
  ),
  assay_cache_bytes: metric('gauge', ['cache'], 'Memory used by a cache: state or trie.'),
  assay_cache_hits_total: metric('counter', ['cache'], 'Cache hits.'),
  assay_cache_misses_total: metric('counter', ['cache'], 'Cache misses.'),
  assay_store_bytes: metric('gauge', [], 'Size of the store file.'),
  assay_store_free_disk_bytes: metric('gauge', [], "Free space on the store's disk."),
  assay_store_commits_total: metric('counter', [], 'Synced write transactions of the store.'),
  assay_scrub_pages_total: metric('counter', [], 'Pages of the store verified by the scrub.'),
  assay_scrub_blocks_total: metric('counter', [], 'Blocks verified by the scrub.'),
  assay_scrub_records_total: metric(
    'counter',
    [],
    'Records of the state that the scrub held against the trie.',
  ),
  assay_scrub_passes_total: metric('counter', [], 'Whole passes of the scrub since startup.'),
  assay_scrub_findings_total: metric('counter', [], 'Damages that the scrub found.'),
  assay_scrub_last_pass_timestamp_seconds: metric(
    'gauge',
    [],
    'End of the last whole pass of the scrub since startup, as a Unix timestamp; 0 before.',
  ),
  assay_block_commit_seconds: metric(
    'histogram',
    [],
    'Time to put an executed block on disk, with its sign state.',
  ),
  assay_store_sync_seconds: metric(
    'histogram',
    [],
    "Time of a block's synced write transaction alone.",
  ),
  assay_store_written_bytes_total: metric(
    'counter',
    [],
    'Bytes of keys and values written to the store.',
  ),
} as const

/** The node's metrics. */
export type NodeMetrics = Metrics<typeof NODE_METRICS>

/** What each scrape reads. */
export type NodeSources = {
  readonly kv: Kv
  readonly store: ChainStore
  readonly home: Home
  readonly world: Pick<World, 'chain' | 'pool' | 'network' | 'syncing'>
  readonly pools: ReadonlyMap<string, () => WorkerPoolLoad>
  readonly webSocketClients: () => number
  readonly scrub: () => ScrubStatistics
  /** Bytes of the pool's journal. */
  readonly journalSize: () => number
  readonly isSignerConnected: () => boolean | undefined
}

/** Counts JSON-RPC calls. */
export function callObserver(metrics: NodeMetrics): CallObserver {
  const name = 'assay_rpc_request_seconds'
  const successes = new Map<string, Timer>()
  return (method, milliseconds, code) => {
    const seconds = milliseconds / 1000
    if (code !== undefined) return metrics.observe(name, { method, code: String(code) }, seconds)
    let timer = successes.get(method)
    if (timer === undefined) {
      timer = metrics.timer(name, { method, code: '0' })
      successes.set(method, timer)
    }
    timer(seconds)
  }
}

function outcomeOf(code: number): string {
  if (code === 0) return 'success'
  return code === RESULT_REFUSED ? 'refused' : 'reverted'
}

/** Counts the contents of blocks. */
export function countBlocks(metrics: NodeMetrics, bus: EventBus, chain: ChainReader): void {
  for (const outcome of ['success', 'reverted', 'refused'])
    metrics.add('assay_transactions_total', { outcome }, 0)
  bus.on('block', ({ height }) => {
    for (const { result } of chain.decided(height) ?? []) {
      const { code, gasUsed } = result
      metrics.add('assay_transactions_total', { outcome: outcomeOf(code) })
      metrics.add('assay_gas_used_total', {}, Number(gasUsed))
    }
  })
}

/** Reads everything else at each scrape. */
export function readOnScrape(metrics: NodeMetrics, sources: NodeSources): void {
  const { kv, store, home, world, pools } = sources
  const folder = home.chainStore
  const file = path.join(folder, 'data.mdb')
  metrics.onScrape(() => {
    const header = world.chain.header(world.chain.latestHeight())
    if (header !== undefined) {
      metrics.set('assay_block_height', {}, header.height)
      metrics.set('assay_block_timestamp_seconds', {}, Number(header.timeNs / 1_000_000n) / 1000)
      metrics.set('assay_block_gas_used', {}, Number(header.gasUsed))
      metrics.set('assay_block_gas_limit', {}, Number(header.gasLimit))
      metrics.set('assay_base_fee_wei', {}, Number(header.baseFeePerGas))
    }
    const { pending, queued } = world.pool.counts()
    metrics.set('assay_pool_transactions', { state: 'pending' }, pending)
    metrics.set('assay_pool_transactions', { state: 'queued' }, queued)
    metrics.set('assay_pool_journal_bytes', {}, sources.journalSize())
    const progress = world.syncing()
    metrics.set('assay_syncing', {}, progress === undefined ? 0 : 1)
    const lag = progress === undefined ? 0 : progress.highestBlock - progress.currentBlock
    metrics.set('assay_sync_lag_blocks', {}, lag)
    const isConnected = sources.isSignerConnected()
    if (isConnected !== undefined)
      metrics.set('assay_validator_signer_connected', {}, isConnected ? 1 : 0)
    const { snapshot, backup } = readDatedFiles(home)
    metrics.set('assay_snapshot_height', {}, snapshot.height)
    metrics.set('assay_snapshot_timestamp_seconds', {}, snapshot.time)
    metrics.set('assay_backup_height', {}, backup.height)
    metrics.set('assay_backup_timestamp_seconds', {}, backup.time)
    metrics.set('assay_peers', {}, world.network.peers().length)
    metrics.set('assay_websocket_clients', {}, sources.webSocketClients())
    for (const [pool, load] of pools) {
      const { threads, busy, waiting } = load()
      metrics.set('assay_call_threads', { pool, state: 'busy' }, busy)
      metrics.set('assay_call_threads', { pool, state: 'idle' }, threads - busy)
      metrics.set('assay_call_queue', { pool }, waiting)
    }
    for (const [cache, { bytes, hits, misses }] of Object.entries(store.stats())) {
      metrics.set('assay_cache_bytes', { cache }, bytes)
      metrics.setTotal('assay_cache_hits_total', { cache }, hits)
      metrics.setTotal('assay_cache_misses_total', { cache }, misses)
    }
    const scrub = sources.scrub()
    metrics.setTotal('assay_scrub_pages_total', {}, scrub.pages)
    metrics.setTotal('assay_scrub_blocks_total', {}, scrub.blocks)
    metrics.setTotal('assay_scrub_records_total', {}, scrub.records)
    metrics.setTotal('assay_scrub_passes_total', {}, scrub.passes)
    metrics.setTotal('assay_scrub_findings_total', {}, scrub.findings)
    metrics.set('assay_scrub_last_pass_timestamp_seconds', {}, scrub.lastPass ?? 0)
    const { commits, bytesPut } = kv.statistics()
    metrics.setTotal('assay_store_commits_total', {}, commits)
    metrics.setTotal('assay_store_written_bytes_total', {}, bytesPut)
    const { bavail, bsize } = fs.statfsSync(folder)
    metrics.set('assay_store_bytes', {}, fs.statSync(file).size)
    metrics.set('assay_store_free_disk_bytes', {}, bavail * bsize)
  })
}
