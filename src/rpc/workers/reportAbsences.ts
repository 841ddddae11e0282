import { parentPort } from 'node:worker_threads'
import type { Absences } from '../../ledger/state/absences.ts'
import type { Absent } from './workerPool.ts'

/** In a worker thread, before its answer: tells what it found nothing under (D87). */
export function reportAbsences(absences: Absences): void {
  const absent = absences.take()
  const message: Absent = { absent }
  if (absent.length > 0) parentPort?.postMessage(message, [])
}
