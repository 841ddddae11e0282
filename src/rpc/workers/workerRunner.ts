/** Runs requests in worker threads with an enforced time limit (D17); failures are JSON-RPC errors. */
import type { AbsentKeys } from '../../ledger/state/absences.ts'
import { RpcError } from '../../wire/errors.ts'
import { createWorkerPool, WorkerPoolError, type WorkerPoolLoad } from './workerPool.ts'

/** One kind of work: what its threads run, and its limits. */
export type WorkerTask = {
  /** The module of a thread (base/moduleFile). */
  readonly file: URL
  /** What a thread needs to start, by structured clone. */
  readonly workerData: unknown
  /** Maximum time of a request, from the moment a thread takes it. */
  readonly timeoutMs: number
  /** The error message for a request that took longer. */
  readonly timeoutMessage: string
  /** Maximum number of requests that wait for a thread, and maximum time that one may have waited when its turn comes. */
  readonly queueLimit: number
  readonly queueMs: number
  /** Maximum heap of a thread: one that needs more is terminated, not the node. */
  readonly heapMb: number
}

export type WorkerRunnerOptions = {
  /** Maximum number of threads (json-rpc.call-workers). */
  readonly workers: number
  readonly signal: AbortSignal
  /** Receives a function that reads the load of the threads, for metrics. */
  readonly exposeLoad?: (read: () => WorkerPoolLoad) => void
  /** Called with the reason when a thread ended unexpectedly. */
  readonly onFault: (message: string) => void
  /** Confirms what a thread found nothing under (D87); an answer is withheld if this throws. */
  readonly confirm?: ((absent: AbsentKeys) => void) | undefined
}

/** Hands a request to a thread. Rejects with RpcError. */
export type WorkerRunner<Request, Answer> = (request: Request) => Promise<Answer>

const IDLE_MS = 60_000
/** Long, since a thread starts slowly on an overloaded machine, which is not a fault. */
const STARTUP_MS = 60_000

/**
 * A runner. No thread runs until the first request. It rejects with RpcError: -32002 after the time limit, -32005 when
 * too many requests wait, -32000 while the node stops, -32603 for a fault, which `onFault` receives.
 */
export function createWorkerRunner<Request, Answer>(
  { timeoutMessage, ...task }: WorkerTask,
  { workers, signal, exposeLoad, onFault, confirm }: WorkerRunnerOptions,
): WorkerRunner<Request, Answer> {
  const pool = createWorkerPool<Request, Answer>({
    ...task,
    size: workers,
    idleMs: IDLE_MS,
    startupMs: STARTUP_MS,
    signal,
    confirm,
  })
  exposeLoad?.(pool.load)

  function asRpcError({ reason, message }: WorkerPoolError): RpcError {
    if (reason === 'timeout') return new RpcError('timeout', timeoutMessage)
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
