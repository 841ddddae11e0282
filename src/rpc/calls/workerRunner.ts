/** Runs calls in worker threads with a time-out that really stops them (D17). */
import { RpcError } from '../../wire/errors.ts'
import type { CallRunner } from './executor.ts'
import type { CallAnswer, CallRequest, CallWorkerData } from './protocol.ts'
import { createWorkerPool, WorkerPoolError, type WorkerPoolLoad } from '../workers/workerPool.ts'

export type WorkerRunnerOptions = CallWorkerData & {
  /** Most threads (json-rpc.call-workers). */
  readonly workers: number
  /** Longest execution (json-rpc.evm-timeout). */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Given what reads the load of the threads, for metrics. */
  readonly exposeLoad?: (read: () => WorkerPoolLoad) => void
  /** Told why a thread ended that should not have. */
  readonly onFault: (message: string) => void
}

const IDLE_MS = 60_000
/** Long, since on a machine that is overloaded a thread takes its time, and that is no fault. */
const STARTUP_MS = 60_000
const QUEUE_LIMIT = 1000
const QUEUE_MS = 15_000
/** Enough for 25 million gas; a thread that needs more ends, and the node does not. */
const HEAP_MB = 384

/** The worker's file: beside this one once built, in dist/ while the sources run. */
function workerFile(): URL {
  const here = import.meta.url
  return here.endsWith('.ts')
    ? new URL('../../../dist/rpc/calls/worker.js', here)
    : new URL('./worker.js', here)
}

/** A runner over a store. No thread runs until the first call. */
export function createWorkerRunner(options: WorkerRunnerOptions): CallRunner {
  const { folder, rules, gasCap, timeoutMs, onFault } = options
  const workerData: CallWorkerData = { folder, rules, gasCap }
  const pool = createWorkerPool<CallRequest, CallAnswer>({
    file: workerFile(),
    workerData,
    size: options.workers,
    timeoutMs,
    idleMs: IDLE_MS,
    startupMs: STARTUP_MS,
    queueLimit: QUEUE_LIMIT,
    queueMs: QUEUE_MS,
    heapMb: HEAP_MB,
    signal: options.signal,
  })
  options.exposeLoad?.(pool.load)

  function asRpcError({ reason, message }: WorkerPoolError): RpcError {
    if (reason === 'timeout')
      return new RpcError('timeout', `execution aborted (timeout = ${timeoutMs / 1000}s)`)
    if (reason === 'busy') return new RpcError('limitExceeded', message)
    if (reason === 'stopped') return new RpcError('server', message)
    onFault(message)
    return new RpcError('internal')
  }

  return async (request) => {
    try {
      return await pool.run(request)
    } catch (error) {
      throw error instanceof WorkerPoolError ? asRpcError(error) : error
    }
  }
}
