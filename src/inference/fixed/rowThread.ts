/** A thread that computes rows of products, see rowWork.ts. */
import { workerData } from 'node:worker_threads'
import { instantiateWasm, type WasmMemory, type WasmModule } from '../../base/wasm.ts'
import { serveRows, type RowKernels } from './rowWork.ts'

/** What a thread is given: the kernels' module, the memories, and its number. */
export type RowThreadData = {
  readonly module: WasmModule
  readonly memories: readonly WasmMemory[]
  readonly control: Int32Array
  readonly thread: number
}

const { module, memories, control, thread } = workerData as RowThreadData
serveRows(
  control,
  memories.map((memory) => instantiateWasm(module, { env: { memory } }) as RowKernels),
  thread,
)
