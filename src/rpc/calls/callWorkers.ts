/** The worker threads of calls, and their limits. */
import { moduleFile } from '../../base/moduleFile.ts'
import { createWorkerRunner, type WorkerRunnerOptions } from '../workers/workerRunner.ts'
import type { CallRunner } from './executor.ts'
import type { CallWorkerData } from './protocol.ts'

export type CallWorkersOptions = WorkerRunnerOptions &
  CallWorkerData & {
    /** Maximum time of a call (json-rpc.evm-timeout). */
    readonly timeoutMs: number
  }

const QUEUE_LIMIT = 1000
const QUEUE_MS = 15_000
/** Enough for 25 million gas. */
const HEAP_MB = 384

/** A runner of calls over a store. */
export function createCallWorkers(options: CallWorkersOptions): CallRunner {
  const { folder, rules, gasCap, timeoutMs, ...runner } = options
  const workerData: CallWorkerData = { folder, rules, gasCap }
  const task = {
    file: moduleFile(new URL('./worker', import.meta.url)),
    workerData,
    timeoutMs,
    timeoutMessage: `execution aborted (timeout = ${timeoutMs / 1000}s)`,
    queueLimit: QUEUE_LIMIT,
    queueMs: QUEUE_MS,
    heapMb: HEAP_MB,
  }
  return createWorkerRunner(task, runner)
}
