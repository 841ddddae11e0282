/**
 * Recovery of senders, the most expensive part of accepting a transaction: some 60 us of CPU time each. Signatures that
 * arrive in the same turn of the event loop, or while the threads are busy, form a batch; a large one goes to a worker
 * thread while this thread executes blocks and answers requests. A small one stays here, because the round trip to a
 * thread costs as much as one signature.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { recoverAddress } from '../../base/secp256k1.ts'
import { moduleFile } from '../../base/moduleFile.ts'
import type { SenderSignature } from '../../chain/transaction.ts'
import type { RecoverSender } from '../mempool/recoverSender.ts'
import { packSignatures, READY, unpackSenders } from './protocol.ts'

export type SenderRecoveryOptions = {
  /** Maximum number of threads; by default one less than the number of processors, between one and four. */
  readonly workers?: number
  /** Ends the threads. Signatures still waiting then are recovered here. */
  readonly signal: AbortSignal
  /** Called for each batch: the number of signatures, and where they are recovered. */
  readonly onBatch?: (size: number, where: 'thread' | 'here') => void
  /** Called with the reason why a thread ended. */
  readonly onFault: (reason: string) => void
}

type Waiting = {
  readonly signature: SenderSignature
  readonly resolve: (sender: Uint8Array | undefined) => void
}

/** The signatures sent to a thread at once. It answers in parts: those before `done` are resolved. */
type Batch = { readonly waiting: readonly Waiting[]; done: number }

type Thread = {
  readonly worker: Worker
  isReady: boolean
  /** The current batch and the next ones, the oldest first. */
  readonly batches: Batch[]
}

/**
 * Maximum number of batches of one thread: the second one is already there when the first is done, no matter what this
 * thread is doing.
 */
const MOST_BATCHES = 2

/**
 * Minimum number of signatures for which a thread is worth the round trip, and minimum for a batch that is queued
 * there.
 */
const MIN_BATCH = 8
const MIN_NEXT_BATCH = 16

// A thread creates little but short-lived views: a larger nursery would only waste memory.
const LIMITS = { maxYoungGenerationSizeMb: 4 }

/** Number of signatures recovered here in one turn of the event loop: about 2 ms. */
const SLICE = 32

function recoverHere({ signature, resolve }: Waiting): void {
  resolve(recoverAddress(signature.digest, signature.compact, signature.yParity))
}

function recoverInSlices(batch: readonly Waiting[]): void {
  for (const waiting of batch.slice(0, SLICE)) recoverHere(waiting)
  if (batch.length > SLICE) setImmediate(recoverInSlices, batch.slice(SLICE))
}

/** A recovery that starts its threads with the first large batch. */
export function createSenderRecovery(options: SenderRecoveryOptions): RecoverSender {
  const { signal, onBatch, onFault } = options
  const limit = options.workers ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  const threads = new Set<Thread>()
  let waiting: Waiting[] = []

  function end(thread: Thread, reason: string): void {
    if (!threads.delete(thread)) return
    if (!signal.aborted) onFault(reason)
    void thread.worker.terminate()
    recoverInSlices(thread.batches.flatMap(({ waiting: all, done }) => all.slice(done)))
    flush()
  }

  function spawn(): void {
    const worker = new Worker(moduleFile(new URL('./worker', import.meta.url)), {
      resourceLimits: LIMITS,
    })
    const thread: Thread = { worker, isReady: false, batches: [] }
    threads.add(thread)
    worker.unref()
    worker.on('message', (message: Uint8Array | typeof READY) => {
      if (message === READY) {
        thread.isReady = true
        return
      }
      const [batch] = thread.batches
      if (batch === undefined) return
      for (const sender of unpackSenders(message)) batch.waiting[batch.done++]?.resolve(sender)
      if (batch.done < batch.waiting.length) return
      thread.batches.shift()
      flush()
    })
    worker.on('error', (error) => end(thread, error.message))
    worker.on('exit', () => end(thread, 'the thread exited'))
  }

  /** A thread that can take another batch: an idle one, if there is one. */
  function freeThread(): Thread | undefined {
    const ready = [...threads].filter(({ isReady }) => isReady)
    const idle = ready.find(({ batches }) => batches.length === 0)
    if (idle === undefined && threads.size < limit && !signal.aborted) spawn()
    if (idle !== undefined || waiting.length < MIN_NEXT_BATCH) return idle
    return ready.find(({ batches }) => batches.length < MOST_BATCHES)
  }

  const isSomeReady = () => [...threads].some(({ isReady }) => isReady)

  function send(thread: Thread, batch: readonly Waiting[]): void {
    thread.batches.push({ waiting: batch, done: 0 })
    const bytes = packSignatures(batch.map(({ signature }) => signature))
    thread.worker.postMessage(bytes, [bytes.buffer])
  }

  /**
   * Sends the waiting signatures to a thread, or recovers them on this one. While all threads are busy they accumulate
   * instead.
   */
  function flush(): void {
    if (waiting.length === 0) return
    const thread = waiting.length < MIN_BATCH ? undefined : freeThread()
    if (thread === undefined && waiting.length >= MIN_BATCH && isSomeReady()) return
    const batch = waiting
    waiting = []
    onBatch?.(batch.length, thread === undefined ? 'here' : 'thread')
    if (thread === undefined) recoverInSlices(batch)
    else send(thread, batch)
  }

  signal.addEventListener(
    'abort',
    () => {
      for (const thread of threads) end(thread, 'stopped')
    },
    { once: true },
  )

  return (signature) =>
    new Promise((resolve) => {
      if (waiting.push({ signature, resolve }) === 1) setImmediate(flush)
    })
}
