/** The thread that writes the store: it executes one transaction at a time, and reports when it is on disk. */
import { parentPort, workerData } from 'node:worker_threads'
import { holdReserve } from '../base/descriptors.ts'
import { messageOf } from '../base/errors.ts'
import { writeFileAtomic } from '../base/files.ts'
import { openKv } from './kv.ts'
import { readKvBatch } from './kvBatch.ts'
import { READY, type WriteAnswer, type WriteRequest, type WriterData } from './writerProtocol.ts'

const { folder } = workerData as WriterData

// For the sign state, which this thread replaces.
holdReserve()

const kv = openKv(folder, {
  onCommitFailure(error) {
    throw error
  },
})

/** Returns the seconds of the synced transaction. */
function carryOut({ tables: names, batch, thenReplace }: WriteRequest): number {
  const since = performance.now()
  const tables = names.map((name) => kv.table(name))
  kv.write(() => {
    for (const { table: number, key, value } of readKvBatch(batch)) {
      const table = tables[number]
      if (table === undefined) throw new RangeError(`the batch has no table ${number}`)
      if (value === undefined) table.remove(key)
      else table.put(key, value)
    }
  })
  const seconds = (performance.now() - since) / 1000
  if (thenReplace !== undefined) writeFileAtomic(thenReplace.file, thenReplace.content)
  return seconds
}

function answerTo(request: WriteRequest): WriteAnswer {
  try {
    return { type: 'done', seconds: carryOut(request) }
  } catch (error) {
    return { type: 'failed', reason: messageOf(error) }
  }
}

parentPort?.on('message', (request: WriteRequest) => {
  parentPort?.postMessage(answerTo(request), [])
})
parentPort?.postMessage(READY, [])
