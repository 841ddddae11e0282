/** Memory of the kernels for single steps. */
import { openKernels, type Kernels } from '../../../src/inference/fixed/kernels.ts'
import {
  multiply,
  PRODUCT_SCRATCH,
  readRow,
  type Matrix,
} from '../../../src/inference/fixed/matrix.ts'
import { formOf, minimaBytes, planeBytes } from '../../../src/inference/fixed/matrixForms.ts'
import { ENCODINGS } from '../../../src/inference/fixed/tensors.ts'

export type KernelSteps = {
  readonly kernels: Kernels
  /** Runs with memory that is released afterwards. */
  scoped<T>(use: () => T): T
  /** Writes numbers of 8 bytes and returns their address. */
  put(values: BigInt64Array): number
  take(address: number, length: number): BigInt64Array
  /** Copies bytes of the memory. */
  bytesAt(address: number, length: number): Uint8Array
  /** A matrix of one row; undefined where the engine refuses it. */
  loadRow(type: number, row: Uint8Array, columns: number): Matrix | undefined
  /** The product of a matrix of one row with a vector, and its activations: their bytes and their shift. */
  multiplyRow(
    matrix: Matrix,
    vector: BigInt64Array,
  ): { readonly product: bigint; readonly activations: Uint8Array; readonly shift: number }
  readRow(matrix: Matrix): BigInt64Array
}

export function openKernelSteps(): KernelSteps {
  const kernels = openKernels()
  const put = (values: BigInt64Array): number => {
    const address = kernels.allocate(values.byteLength)
    new BigInt64Array(kernels.bytes().buffer, address, values.length).set(values)
    return address
  }
  const take = (address: number, length: number): BigInt64Array =>
    new BigInt64Array(kernels.bytes().buffer, address, length).slice()
  const bytesAt = (address: number, length: number): Uint8Array =>
    kernels.bytes().slice(address, address + length)
  return {
    kernels,
    put,
    take,
    bytesAt,
    scoped(use) {
      const mark = kernels.mark()
      try {
        return use()
      } finally {
        kernels.release(mark)
      }
    },
    loadRow: (type, row, columns) => loadRow(kernels, type, row, columns),
    multiplyRow(matrix, vector) {
      const { blocks } = matrix
      const address = kernels.allocate(blocks * 68 + 16)
      kernels.quantizeActivations(put(vector), blocks, 1, address)
      const target = kernels.allocate(8)
      const scratch = kernels.allocate(PRODUCT_SCRATCH)
      multiply(kernels, matrix, { address, count: 1 }, { target, scratch, from: 0, until: 1 })
      const shift = new DataView(kernels.bytes().buffer, address).getInt32(blocks * 68, true)
      const [product = 0n] = take(target, 1)
      return { product, activations: bytesAt(address, blocks * 64), shift }
    },
    readRow(matrix) {
      const target = kernels.allocate(matrix.blocks * 256)
      readRow(kernels, matrix, 0, target)
      return take(target, matrix.blocks * 32)
    },
  }
}

function loadRow(
  kernels: Kernels,
  type: number,
  row: Uint8Array,
  columns: number,
): Matrix | undefined {
  const { isNumbers = false, hasMinima = false } = ENCODINGS[type] ?? {}
  const blocks = columns / 32
  const form = formOf(type)
  const source = kernels.allocate(row.length)
  kernels.bytes().set(row, source)
  const minima = hasMinima ? kernels.allocate(minimaBytes(form, 1, blocks)) : 0
  const count = isNumbers ? kernels.countPlanes(type, source, 1, blocks) : 1
  if (count === 0) return undefined
  const planes: number[] = []
  for (let plane = 0; plane < count; plane++) {
    const address = kernels.allocate(planeBytes(form, 1, blocks))
    const isUsable = isNumbers
      ? kernels.unpackNumbers(type, source, 0, 1, blocks, plane, address)
      : kernels.unpackBlocks(form, type, source, row.length, 0, 1, blocks, address, minima)
    if (isUsable === 0) return undefined
    planes.push(address)
  }
  return { form, rows: 1, blocks, planes, ...(hasMinima && { minima }) }
}
