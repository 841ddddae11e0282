/** A thread that writes the store, so that neither the tree's pages nor the disk block the event loop. */
import { Worker } from 'node:worker_threads'
import { moduleFile } from '../base/moduleFile.ts'
import { READY, type WriteAnswer, type WriteRequest, type WriterData } from './writerProtocol.ts'

export type Writer = {
  /**
   * Resolves once the transaction, and the file after it, are on disk, with the seconds that the transaction took.
   * Rejects when the outcome is unknown.
   */
  write(request: WriteRequest): Promise<number>
  /** Ends the thread, once its pending work is done. */
  close(): Promise<void>
}

// The thread allocates little but short-lived views: a larger young generation would only take memory.
const LIMITS = { maxYoungGenerationSizeMb: 4 }

type Waiting = {
  readonly resolve: (seconds: number) => void
  readonly reject: (error: Error) => void
}

/** Starts a thread over the store in a folder, which exists already. */
export function startWriter(folder: string): Writer {
  const data: WriterData = { folder }
  const worker = new Worker(moduleFile(new URL('./writerThread', import.meta.url)), {
    workerData: data,
    resourceLimits: LIMITS,
  })
  const waiting: Waiting[] = []
  let failure: Error | undefined
  let isClosing = false

  function fail(error: Error): void {
    failure ??= error
    for (const { reject } of waiting.splice(0)) reject(failure)
  }

  worker.on('message', (message: WriteAnswer | typeof READY) => {
    if (message === READY) return
    const next = waiting.shift()
    if (message.type === 'done') next?.resolve(message.seconds)
    else next?.reject(new Error(message.reason))
    if (waiting.length === 0 && isClosing) void worker.terminate()
  })
  worker.on('error', (error) => fail(error))
  worker.on('exit', () => fail(new Error('the thread that writes the store exited')))

  return {
    write: (request) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        waiting.push({ resolve, reject })
        worker.postMessage(request, [request.batch.buffer])
      }),
    async close() {
      isClosing = true
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      if (failure === undefined && waiting.length === 0) void worker.terminate()
      if (failure === undefined) await ended
    },
  }
}
