/** A thread with a read-only view of the store in `workerData`: to each message, a key of table `t`, it posts the value. */
import { parentPort, workerData } from 'node:worker_threads'
import { openKv } from '../../src/store/kv.ts'

const kv = openKv(workerData as string, { readOnly: true })
const table = kv.table('t')

parentPort?.on('message', (key: Uint8Array) => {
  kv.refresh()
  parentPort?.postMessage(table.get(key), [])
})
