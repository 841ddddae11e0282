/** The thread that takes snapshots, on its own read-only view of the store. It takes one at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import { takeSnapshot } from '../../ledger/snapshot/take.ts'
import { openChainTables } from '../../ledger/tables.ts'
import { openKv } from '../../store/kv.ts'
import { writeSnapshot } from './snapshotFiles.ts'
import { READY, type TakeAnswer, type TakeRequest, type TakerData } from './takerProtocol.ts'

const { store, snapshots, genesisHash } = workerData as TakerData

const kv = openKv(store, { readOnly: true, holdsSnapshots: true })
const tables = openChainTables(kv)

async function take({ height }: TakeRequest): Promise<TakeAnswer> {
  try {
    const chunks = takeSnapshot(kv, tables, height)
    const taken = await writeSnapshot(snapshots, { height, genesisHash }, chunks)
    return { type: 'taken', taken }
  } catch (error) {
    return { type: 'failed', reason: messageOf(error) }
  } finally {
    kv.release()
  }
}

parentPort?.on('message', (request: TakeRequest) => {
  void take(request).then((answer) => parentPort?.postMessage(answer, []))
})
parentPort?.postMessage(READY, [])
