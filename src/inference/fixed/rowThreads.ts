/** Threads that compute products of large matrices together with the caller. Results do not depend on them (D134). */
import { Worker } from 'node:worker_threads'
import { moduleFile } from '../../base/moduleFile.ts'
import { kernelsModule, type Kernels } from './kernels.ts'
import { PRODUCT_SCRATCH } from './matrix.ts'
import type { RowThreadData } from './rowThread.ts'
import type { Weights } from './weights.ts'
import { canShare, createControl, multiplyTogether, type Product } from './rowWork.ts'

export type RowThreads = {
  /** Computes a product; returns false if it is too small to be worth the threads. */
  multiply(kernels: Kernels, product: Omit<Product, 'memory' | 'scratch'>): boolean
  close(): Promise<void>
}

/** Multiplications from which a product is shared: about 30 microseconds of one thread. */
const MIN_PRODUCT = 1_000_000
/** Bytes of a model from which threads are started: smaller ones are done before. */
const MIN_MODEL = 48 * 1024 ** 2
/** Multiplications of a part, at least: threads take many, so that none waits long for another that the system delays. */
const MIN_PART = 250_000

/**
 * Starts `count - 1` threads over these memories. Products that come before a thread has started do without it. Allocates memory
 * of the kernels.
 */
export function openRowThreads(memories: readonly Kernels[], count: number): RowThreads {
  const control = createControl()
  const marks = memories.map((memory) => memory.mark())
  const scratch = new Map(
    memories.map((memory) => [memory, memory.allocate(count * PRODUCT_SCRATCH)]),
  )
  const workers = Array.from({ length: count - 1 }, (_, i) => {
    const data: RowThreadData = {
      module: kernelsModule(),
      memories: memories.map(({ memory }) => memory),
      control,
      thread: i + 1,
    }
    const worker = new Worker(moduleFile(new URL('./rowThread', import.meta.url)), {
      workerData: data,
      env: {},
      stdin: false,
    })
    // Without it, the others compute its rows.
    worker.on('error', () => undefined)
    worker.unref()
    return worker
  })
  return {
    multiply(kernels, product) {
      const { matrix, count: vectors } = product
      const perRow = matrix.blocks * 32 * vectors
      if (perRow * matrix.rows < MIN_PRODUCT || !canShare(matrix)) return false
      const even = matrix.rows / (4 * count)
      const rows = Math.max(even, MIN_PART / perRow)
      const shared = {
        ...product,
        memory: memories.indexOf(kernels),
        scratch: scratch.get(kernels) as number,
      }
      multiplyTogether(control, memories, shared, Math.ceil(rows / 16) * 16)
      return true
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()))
      memories.forEach((memory, i) => memory.release(marks[i] as number))
    },
  }
}

/** Threads for a model, if it is large enough; at most `count` compute, this one among them. */
export function openModelThreads(model: Weights, count: number): RowThreads | undefined {
  const memories = [...new Set([model.kernels, ...model.layers.map(({ kernels }) => kernels)])]
  const bytes = memories.reduce((sum, memory) => sum + memory.mark(), 0)
  return count > 1 && bytes >= MIN_MODEL ? openRowThreads(memories, count) : undefined
}
