/** The worker threads of executions, and their limits: separate threads, so that traces never delay calls (D17). */
import { moduleFile } from '../../base/moduleFile.ts'
import { createWorkerRunner, type WorkerRunnerOptions } from '../workers/workerRunner.ts'
import type { ExecutionRunner } from './executor.ts'
import type { ExecutionWorkerData } from './protocol.ts'

const QUEUE_LIMIT = 100
const QUEUE_MS = 60_000
/** Time limit for a whole block; a single transaction has its own limit. */
const TIMEOUT_MS = 120_000
const HEAP_MB = 1024

/** A runner of executions over a store. */
export function createExecutionWorkers(
  options: WorkerRunnerOptions & ExecutionWorkerData,
): ExecutionRunner {
  const { folder, rules, gasCap, timeoutMs, ...runner } = options
  const workerData: ExecutionWorkerData = { folder, rules, gasCap, timeoutMs }
  const task = {
    file: moduleFile(new URL('./worker', import.meta.url)),
    workerData,
    timeoutMs: TIMEOUT_MS,
    timeoutMessage: 'execution timeout',
    queueLimit: QUEUE_LIMIT,
    queueMs: QUEUE_MS,
    heapMb: HEAP_MB,
  }
  return createWorkerRunner(task, runner)
}
