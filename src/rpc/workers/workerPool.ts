/**
 * A pool of worker threads for work that may not terminate (D17). Threads start on demand, end after being idle for a
 * while, and are terminated when a job takes too long; the event loop that uses them never blocks.
 */
import { Worker } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import type { AbsentKeys } from '../../ledger/state/absences.ts'

export type WorkerPoolOptions = {
  /** The module of the worker (base/moduleFile). It posts `ready` once, then one answer per request, and any step limits before it. */
  readonly file: URL
  readonly workerData: unknown
  /** Maximum number of threads. */
  readonly size: number
  /** Maximum time of a request, from the moment a thread takes it. */
  readonly timeoutMs: number
  /** A thread without work ends after this time. */
  readonly idleMs: number
  /** Maximum time that a thread takes to load. */
  readonly startupMs: number
  /**
   * Maximum number of requests that wait for a thread, and maximum time that one may have waited when its turn comes.
   */
  readonly queueLimit: number
  readonly queueMs: number
  /** Maximum heap of one thread. */
  readonly heapMb: number
  /** Ends all threads. */
  readonly signal: AbortSignal
  /** Called with what a thread found nothing under, before its answer, which is withheld if this throws. */
  readonly confirm?: ((absent: AbsentKeys) => void) | undefined
}

/** Message of a worker that has loaded. */
export const READY = 'ready'

/**
 * Message of a worker that runs a request: what it does now is over within so many milliseconds, or the thread is
 * terminated. Undefined: it is over, and the time of the request alone counts. So code that cannot be interrupted from
 * within still ends.
 */
export type StepLimit = { readonly stepLimitMs: number | undefined }

/** Message of a worker before an answer: what it found nothing under. */
export type Absent = { readonly absent: readonly AbsentKeys[] }

function isAbsent(message: unknown): message is Absent {
  return typeof message === 'object' && message !== null && 'absent' in message
}

function isStepLimit(message: unknown): message is StepLimit {
  return typeof message === 'object' && message !== null && 'stepLimitMs' in message
}

/** Why a request failed. */
export class WorkerPoolError extends Error {
  override readonly name = 'WorkerPoolError'
  readonly reason: 'timeout' | 'busy' | 'failed' | 'stopped'

  constructor(reason: 'timeout' | 'busy' | 'failed' | 'stopped', message: string) {
    super(message)
    this.reason = reason
  }
}

/** Current load of a pool. */
export type WorkerPoolLoad = {
  readonly threads: number
  readonly busy: number
  /** Requests without a thread. */
  readonly waiting: number
}

export type WorkerPool<Request, Answer> = {
  /** Runs a request on a thread. Rejects with WorkerPoolError. */
  run(request: Request): Promise<Answer>
  load(): WorkerPoolLoad
}

type Job<Request, Answer> = {
  readonly request: Request
  readonly askedAt: number
  resolve(answer: Answer): void
  reject(error: WorkerPoolError): void
}

type Thread<Request, Answer> = {
  readonly worker: Worker
  isReady: boolean
  job: Job<Request, Answer> | undefined
  /** Timeout of the job, or of idleness. */
  timer: NodeJS.Timeout | undefined
  /** Timeout of what the job does now. */
  stepTimer: NodeJS.Timeout | undefined
  /** Why the answer that follows is withheld. */
  doubt: WorkerPoolError | undefined
}

/** An empty pool: nothing runs until the first request. */
export function createWorkerPool<Request, Answer>(
  options: WorkerPoolOptions,
): WorkerPool<Request, Answer> {
  const waiting: Job<Request, Answer>[] = []
  const threads = new Set<Thread<Request, Answer>>()

  function end(thread: Thread<Request, Answer>, error: WorkerPoolError): void {
    if (!threads.delete(thread)) return
    clearTimeout(thread.timer)
    clearTimeout(thread.stepTimer)
    void thread.worker.terminate()
    thread.job?.reject(error)
    assignWaiting()
  }

  function limitStep(thread: Thread<Request, Answer>, { stepLimitMs }: StepLimit): void {
    clearTimeout(thread.stepTimer)
    if (stepLimitMs !== undefined) thread.stepTimer = endAfter(thread, stepLimitMs)
  }

  function endAfter(thread: Thread<Request, Answer>, milliseconds: number): NodeJS.Timeout {
    return setTimeout(
      () => end(thread, new WorkerPoolError('timeout', 'took too long')),
      milliseconds,
    )
  }

  function start(thread: Thread<Request, Answer>, job: Job<Request, Answer>): void {
    clearTimeout(thread.timer)
    thread.timer = endAfter(thread, options.timeoutMs)
    thread.worker.postMessage(job.request, [])
  }

  function rest(thread: Thread<Request, Answer>): void {
    clearTimeout(thread.timer)
    thread.timer = setTimeout(
      () => end(thread, new WorkerPoolError('stopped', 'idle')),
      options.idleMs,
    ).unref()
  }

  function doubtOf({ absent }: Absent): WorkerPoolError | undefined {
    try {
      for (const keys of absent) options.confirm?.(keys)
      return undefined
    } catch (error) {
      return new WorkerPoolError('failed', messageOf(error))
    }
  }

  function onMessage(thread: Thread<Request, Answer>, message: unknown): void {
    if (message === READY) {
      thread.isReady = true
      if (thread.job) start(thread, thread.job)
      else rest(thread)
      return
    }
    if (isStepLimit(message)) {
      if (thread.job !== undefined) limitStep(thread, message)
      return
    }
    if (isAbsent(message)) {
      thread.doubt = doubtOf(message)
      return
    }
    clearTimeout(thread.stepTimer)
    const { job, doubt } = thread
    thread.job = undefined
    thread.doubt = undefined
    rest(thread)
    if (doubt === undefined) job?.resolve(message as Answer)
    else job?.reject(doubt)
    assignWaiting()
  }

  function spawn(): Thread<Request, Answer> {
    const worker = new Worker(options.file, {
      workerData: options.workerData,
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
    })
    const thread: Thread<Request, Answer> = {
      worker,
      isReady: false,
      job: undefined,
      timer: undefined,
      stepTimer: undefined,
      doubt: undefined,
    }
    threads.add(thread)
    thread.timer = setTimeout(
      () => end(thread, new WorkerPoolError('failed', 'the worker thread did not load')),
      options.startupMs,
    )
    worker.unref()
    worker.on('message', (message: unknown) => onMessage(thread, message))
    worker.on('error', (error) => end(thread, new WorkerPoolError('failed', error.message)))
    worker.on('exit', () => end(thread, new WorkerPoolError('failed', 'the worker thread ended')))
    return thread
  }

  function freeThread(): Thread<Request, Answer> | undefined {
    for (const thread of threads) if (!thread.job) return thread
    return threads.size < options.size ? spawn() : undefined
  }

  function assignWaiting(): void {
    if (options.signal.aborted) return
    for (;;) {
      const job = waiting[0]
      if (!job) return
      if (performance.now() - job.askedAt > options.queueMs) {
        waiting.shift()
        job.reject(new WorkerPoolError('busy', 'waited too long for a worker thread'))
        continue
      }
      const thread = freeThread()
      if (!thread) return
      waiting.shift()
      thread.job = job
      if (thread.isReady) start(thread, job)
    }
  }

  function stop(): void {
    const error = new WorkerPoolError('stopped', 'the node is stopping')
    for (const thread of threads) end(thread, error)
    for (const job of waiting.splice(0)) job.reject(error)
  }
  options.signal.addEventListener('abort', stop, { once: true })

  return {
    load: () => ({
      threads: threads.size,
      busy: [...threads].filter(({ job }) => job !== undefined).length,
      waiting: waiting.length,
    }),
    run(request) {
      return new Promise((resolve, reject) => {
        if (options.signal.aborted)
          return reject(new WorkerPoolError('stopped', 'the node is stopping'))
        if (waiting.length >= options.queueLimit)
          return reject(new WorkerPoolError('busy', 'too many calls are waiting'))
        waiting.push({ request, askedAt: performance.now(), resolve, reject })
        assignWaiting()
      })
    },
  }
}
