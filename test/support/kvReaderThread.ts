/**
 * A thread with a read-only view of the store in `workerData`: to each message, a key of table `t`, it posts the value, or
 * the message of the error.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../src/base/errors.ts'
import { openKv } from '../../src/store/kv.ts'

const kv = openKv(workerData as string, { readOnly: true })
const table = kv.table('t')

function read(key: Uint8Array): Uint8Array | string | undefined {
  try {
    return table.get(key)
  } catch (error) {
    return messageOf(error)
  }
}

parentPort?.on('message', (key: Uint8Array) => {
  kv.refresh()
  parentPort?.postMessage(read(key), [])
})
