/** Takes snapshots while the chain goes on: on a thread of its own, or in slices on this one. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { moduleFile } from '../../base/moduleFile.ts'
import { takeSnapshot, type TakeOptions } from '../../ledger/snapshot/take.ts'
import { openChainTables } from '../../ledger/tables.ts'
import type { Kv } from '../../store/kv.ts'
import { writeSnapshot } from './snapshotFiles.ts'
import {
  READY,
  type TakeAnswer,
  type TakeRequest,
  type Taken,
  type TakerData,
} from './takerProtocol.ts'

export type SnapshotTaker = {
  /**
   * Takes the snapshot of a committed height. Calls must not overlap. Rejects with the reason when it could not be
   * taken.
   */
  take(height: number): Promise<Taken>
  close(): Promise<void>
}

/** A taker on a thread, which starts now and has loaded by the first snapshot. The store must already exist. */
export function startTaker(data: TakerData): SnapshotTaker {
  const worker = new Worker(moduleFile(new URL('./takerThread', import.meta.url)), {
    workerData: data,
  })
  let waiting: { resolve(taken: Taken): void; reject(error: Error): void } | undefined
  let failure: Error | undefined

  worker.on('message', (message: TakeAnswer | typeof READY) => {
    if (message === READY) return
    if (message.type === 'taken') waiting?.resolve(message.taken)
    else waiting?.reject(new Error(message.reason))
    waiting = undefined
  })
  const fail = (error: Error): void => {
    failure ??= error
    waiting?.reject(failure)
    waiting = undefined
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the snapshot thread exited')))
  // A node that stops does not wait for a snapshot: the next start removes what is left of it.
  worker.unref()

  return {
    take: (height) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        waiting = { resolve, reject }
        const request: TakeRequest = { height }
        worker.postMessage(request, [])
      }),
    async close() {
      await worker.terminate()
    },
  }
}

/** A taker on this thread, for stores that only this process has open. It yields between chunks. */
export function createInlineTaker(
  kv: Kv,
  { snapshots, genesisHash }: Omit<TakerData, 'store'>,
  options: TakeOptions = {},
): SnapshotTaker {
  const tables = openChainTables(kv)
  return {
    take: (height) =>
      writeSnapshot(
        snapshots,
        { height, genesisHash },
        takeSnapshot(kv, tables, height, options),
        () => yieldToOthers(),
      ),
    close: async () => {},
  }
}
