/**
 * The thread that verifies the store while the node runs (D92): every page and record as the disk has it, then every block
 * against its hashes. It works in parts of some milliseconds and sleeps between them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import { checkBlock } from '../../ledger/check.ts'
import { openChainReader } from '../../ledger/store.ts'
import { openKv } from '../../store/kv.ts'
import { openPageFile } from '../../store/pages/pageFile.ts'
import { scanPart, type ScanPosition } from '../../store/pages/scanPart.ts'
import { unsealRecord } from '../../store/seal.ts'
import { checkDecided } from '../embedded/check.ts'
import { openBlockStore } from '../embedded/blockStore.ts'
import { describeDamage } from './describeDamage.ts'
import { BUSY, type ScrubData, type ScrubMessage } from './scrubProtocol.ts'

const { store, chainId, chainName, interval } = workerData as ScrubData

/** Pages of one part: a megabyte at most of usual pages. */
const PART_PAGES = 64

/** Of the time, the thread works at most this share. */
const SHARE = 0.1

/** No part begins until the node was idle for this long, in milliseconds… */
const IDLE_MS = 500
/** …but one does now and then, so that a pass ends on a node that never is. */
const PATIENCE_MS = 5000

const kv = openKv(store, { readOnly: true, holdsSnapshots: true })
const reader = openChainReader(kv, { chainId, sha256 })
const blocks = openBlockStore(kv)

let busyAt = -Infinity
const done = { pages: 0, blocks: 0 }

const tell = (message: ScrubMessage): void => parentPort?.postMessage(message, [])

parentPort?.on('message', (message) => {
  if (message === BUSY) busyAt = performance.now()
})

/** Runs a part on a snapshot of its own, then sleeps so long that the share holds. */
async function part<T>(work: () => T): Promise<T> {
  const asked = performance.now()
  while (performance.now() - busyAt < IDLE_MS && performance.now() - asked < PATIENCE_MS)
    await sleep(IDLE_MS / 5)
  const start = performance.now()
  kv.refresh()
  try {
    return work()
  } finally {
    kv.release()
    tell({ type: 'progress', ...done })
    await sleep((performance.now() - start) * (1 / SHARE - 1))
  }
}

function scanPages(position: ScanPosition | undefined): ScanPosition | undefined {
  // The first read takes the snapshot that keeps the file's pages from being used again.
  reader.latestHeight()
  const file = openPageFile(store, true)
  if (file === undefined) {
    tell({ type: 'damaged', faults: ["the store's file is damaged: it does not begin as one"] })
    return undefined
  }
  try {
    const { faults, pages, next } = scanPart(file, position, PART_PAGES, unsealRecord)
    done.pages += pages
    if (faults.length > 0) tell({ type: 'damaged', faults: faults.map(describeDamage) })
    return next
  } finally {
    file.close()
  }
}

/** Verifies a block; one that was pruned or rolled back meanwhile is none. */
function verifyBlock(height: number): void {
  if (height < Math.max(1, reader.earliestHeight()) || height > reader.latestHeight()) return
  const faults = [...checkBlock(reader, height, sha256)]
  // With CometBFT, decided data is in its own store.
  if (blocks.state() !== undefined) {
    const txs = (reader.decided(height) ?? []).map(({ raw }) => raw)
    faults.push(...checkDecided(blocks, chainName, height, txs))
  }
  done.blocks++
  if (faults.length > 0)
    tell({ type: 'damaged', faults: faults.map((fault) => `the store is damaged: ${fault}`) })
}

async function pass(): Promise<void> {
  const start = performance.now()
  let position: ScanPosition | undefined
  do {
    const from = position
    position = await part(() => scanPages(from))
  } while (position !== undefined)
  const last = await part(() => reader.latestHeight())
  const first = await part(() => Math.max(1, reader.earliestHeight()))
  for (let height = first; height <= last; height++) await part(() => verifyBlock(height))
  tell({ type: 'passed', duration: performance.now() - start })
}

async function run(): Promise<void> {
  for (;;) {
    const start = performance.now()
    await pass()
    await sleep(Math.max(0, interval - (performance.now() - start)))
  }
}

run().catch((error: unknown) => tell({ type: 'failed', reason: messageOf(error) }))
