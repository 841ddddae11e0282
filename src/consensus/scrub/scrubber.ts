/** Verifies the store of a running node in idle time, on a thread of its own (D92). */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { moduleFile } from '../../base/moduleFile.ts'
import { BUSY, type ScrubData, type ScrubMessage } from './scrubProtocol.ts'

/** How far the scrub of a store is. */
export type ScrubStatistics = {
  /** Since the start of the node. */
  readonly pages: number
  readonly blocks: number
  /** Records of the flat state held against the trie, to a multiple of a part. */
  readonly records: number
  readonly passes: number
  readonly findings: number
  /** End of the last whole pass in seconds since 1970; undefined before the first. */
  readonly lastPass: number | undefined
}

export type Scrubber = {
  /** Says that blocks with transactions are made now: the scrub waits. */
  busy(): void
  statistics(): ScrubStatistics
  close(): Promise<void>
}

export type ScrubberOptions = {
  /** Called with each damage, as a sentence. */
  readonly onDamage: (fault: string) => void
  /** Called with the duration of a pass in milliseconds. */
  readonly onPassed: (duration: number, statistics: ScrubStatistics) => void
  /** Called when the thread can't go on. */
  readonly onFault: (reason: string) => void
  /** Holds records of the flat state against the trie; throws for one that the trie does not have (ChainStore). */
  readonly verifyState: (position: Uint8Array | undefined, limit: number) => Uint8Array | undefined
  /** Milliseconds until the first pass. */
  readonly delay: number
  readonly clock: Clock
}

/** The thread is told about blocks at most this often. */
const BUSY_EVERY_MS = 100

/** The state is not verified until the node was idle for this long. */
const IDLE_MS = 500

/** Records of the flat state that are verified at once, in about a millisecond, and the time between two such parts. */
const STATE_PART = 32
const STATE_EVERY_MS = 100

/** Starts the scrub of a store that exists; its thread begins after the delay. */
export function startScrubber(data: ScrubData, options: ScrubberOptions): Scrubber {
  const { clock } = options
  let worker: Worker | undefined
  let position: Uint8Array | undefined
  let cancelTimer = clock.setTimer(options.delay, begin)
  let statistics: ScrubStatistics = {
    pages: 0,
    blocks: 0,
    records: 0,
    passes: 0,
    findings: 0,
    lastPass: undefined,
  }
  let isClosing = false
  let busyAt = -Infinity

  function receive(message: ScrubMessage): void {
    switch (message.type) {
      case 'progress':
        statistics = { ...statistics, pages: message.pages, blocks: message.blocks }
        break
      case 'passed':
        statistics = {
          ...statistics,
          passes: statistics.passes + 1,
          lastPass: Math.floor(Number(clock.now() / 1_000_000_000n)),
        }
        options.onPassed(message.duration, statistics)
        break
      case 'damaged':
        statistics = { ...statistics, findings: statistics.findings + message.faults.length }
        for (const fault of message.faults) options.onDamage(fault)
        break
      case 'failed':
        options.onFault(message.reason)
    }
  }

  /** The trie is in this thread's memory: the state is held against it here, in small parts. */
  function verifyState(): void {
    if (isClosing) return
    const isBusy = performance.now() - busyAt < IDLE_MS
    if (!isBusy) {
      // What it throws was reported by the store.
      position = options.verifyState(position, STATE_PART)
      statistics = { ...statistics, records: statistics.records + STATE_PART }
    }
    const isOver = !isBusy && position === undefined
    cancelTimer = clock.setTimer(isOver ? data.interval : STATE_EVERY_MS, verifyState)
  }

  function begin(): void {
    worker = new Worker(moduleFile(new URL('./scrubThread', import.meta.url)), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    worker.on('message', receive)
    worker.on('error', (error) => options.onFault(error.message))
    // A node that stops does not wait for a pass.
    worker.unref()
    verifyState()
  }

  return {
    busy() {
      if (performance.now() - busyAt < BUSY_EVERY_MS) return
      busyAt = performance.now()
      worker?.postMessage(BUSY, [])
    },
    statistics: () => statistics,
    async close() {
      isClosing = true
      cancelTimer()
      await worker?.terminate()
    },
  }
}
