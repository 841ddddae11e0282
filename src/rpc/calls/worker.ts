/** A worker thread that executes calls on its own read-only view of the chain. It answers one request at a time. */
import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { createEngine } from '../../evm/createEngine.ts'
import { createAbsences } from '../../ledger/state/absences.ts'
import { openKv } from '../../store/kv.ts'
import { answerCall, type CallWorld } from './answer.ts'
import type { CallRequest, CallWorkerData } from './protocol.ts'
import { followRollbacks } from '../workers/followRollbacks.ts'
import { reportAbsences } from '../workers/reportAbsences.ts'
import { READY } from '../workers/workerPool.ts'

const { folder, rules, gasCap } = workerData as CallWorkerData

const kv = openKv(folder, { readOnly: true, holdsSnapshots: true })

const absences = createAbsences()
const chain = followRollbacks(kv, rules, absences)
const world: Omit<CallWorld, 'chain'> = {
  engine: createEngine({
    seed: randomBytes(8).readBigUInt64LE(),
    compilesHotCode: true,
  }),
  rules,
  gasCap,
}

parentPort?.on('message', (request: CallRequest) => {
  // It never throws here: a fault is an answer too, and there is no poll.
  const answer = answerCall({ ...world, chain: chain() }, request)
  reportAbsences(absences)
  parentPort?.postMessage(answer, [])
  kv.release()
})
parentPort?.postMessage(READY, [])
