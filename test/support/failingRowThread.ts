/** A thread that takes parts of products (rowWork.ts) and does none: its kernels throw, or end the thread. */
import { workerData } from 'node:worker_threads'
import { serveRows, type RowKernels } from '../../src/inference/fixed/rowWork.ts'

export type FailingRowThreadData = { readonly control: Int32Array; readonly end: boolean }

const { control, end } = workerData as FailingRowThreadData

function fail(): never {
  if (end) process.exit()
  throw new Error('no such instruction')
}

const kernels: RowKernels = { multiplyMatrix: fail, addMinima: fail }
serveRows(control, [kernels], 1)
