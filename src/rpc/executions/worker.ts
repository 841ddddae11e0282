/** A worker thread for executions, on its own read-only view of the chain. It answers one at a time. */
import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { createAbsences } from '../../ledger/state/absences.ts'
import { openKv } from '../../store/kv.ts'
import { followRollbacks } from '../workers/followRollbacks.ts'
import { reportAbsences } from '../workers/reportAbsences.ts'
import { READY, type StepLimit } from '../workers/workerPool.ts'
import { answerExecution, buffersOf } from './answer.ts'
import { createEngines } from './engines.ts'
import type { Execution, ExecutionWorkerData } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

const { folder, ...data } = workerData as ExecutionWorkerData

const absences = createAbsences()
const chain = followRollbacks(openKv(folder, { readOnly: true }), data.rules, absences)
const world: Omit<ExecutionWorld, 'chain'> = {
  ...data,
  engines: createEngines(randomBytes(8).readBigUInt64LE()),
  limitStep(stepLimitMs) {
    const message: StepLimit = { stepLimitMs }
    parentPort?.postMessage(message, [])
  },
}

parentPort?.on('message', (execution: Execution) => {
  // It never rejects; a fault is an answer too.
  void answerExecution({ ...world, chain: chain() }, execution).then((answer) => {
    reportAbsences(absences)
    parentPort?.postMessage(answer, buffersOf(answer))
  })
})
parentPort?.postMessage(READY, [])
