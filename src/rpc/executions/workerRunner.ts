/** Runs executions in worker threads of their own, so that traces never keep calls waiting (D17). */
import { RpcError } from '../../wire/errors.ts'
import { createWorkerPool, WorkerPoolError, type WorkerPoolLoad } from '../workers/workerPool.ts'
import type { ExecutionRunner } from './executor.ts'
import type { Execution, ExecutionAnswer, ExecutionWorkerData } from './protocol.ts'

export type ExecutionRunnerOptions = ExecutionWorkerData & {
  /** Most threads. */
  readonly workers: number
  readonly signal: AbortSignal
  /** Given what reads the load of the threads, for metrics. */
  readonly exposeLoad?: (read: () => WorkerPoolLoad) => void
  /** Told why a thread ended that should not have. */
  readonly onFault: (message: string) => void
}

const IDLE_MS = 60_000
/** Long, since on a machine that is overloaded a thread takes its time, and that is no fault. */
const STARTUP_MS = 60_000
const QUEUE_LIMIT = 100
const QUEUE_MS = 60_000
/** A whole block may take this long; single transactions have their own limit. */
const TIMEOUT_MS = 120_000
const HEAP_MB = 1024

/** The worker's file: beside this one once built, in dist/ while the sources run. */
function workerFile(): URL {
  const here = import.meta.url
  return here.endsWith('.ts')
    ? new URL('../../../dist/rpc/executions/worker.js', here)
    : new URL('./worker.js', here)
}

/** A runner over a store. No thread runs until the first execution. */
export function createExecutionRunner(options: ExecutionRunnerOptions): ExecutionRunner {
  const { workers, signal, exposeLoad, onFault, ...workerData } = options
  const pool = createWorkerPool<Execution, ExecutionAnswer>({
    file: workerFile(),
    workerData,
    size: workers,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
    startupMs: STARTUP_MS,
    queueLimit: QUEUE_LIMIT,
    queueMs: QUEUE_MS,
    heapMb: HEAP_MB,
    signal,
  })
  exposeLoad?.(pool.load)

  function asRpcError({ reason, message }: WorkerPoolError): RpcError {
    if (reason === 'timeout') return new RpcError('timeout', 'execution timeout')
    if (reason === 'busy') return new RpcError('limitExceeded', message)
    if (reason === 'stopped') return new RpcError('server', message)
    onFault(message)
    return new RpcError('internal')
  }

  return async (execution) => {
    try {
      return await pool.run(execution)
    } catch (error) {
      throw error instanceof WorkerPoolError ? asRpcError(error) : error
    }
  }
}
