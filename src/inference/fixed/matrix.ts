/** Matrices in the memory of the kernels: products with activations, and single rows. */
import type { Kernels } from './kernels.ts'

/**
 * A matrix: the sum of its planes, and of the minimum of each block. Encodings have one plane, plain numbers as many as their
 * digits. Planes and minima are addresses; `form` says how both are kept (matrixForms.ts).
 */
export type Matrix = {
  readonly form: number
  readonly rows: number
  readonly blocks: number
  readonly planes: readonly number[]
  readonly minima?: number
}

/** Vectors of activations in the format of kernels/layout.as.ts, one after the other. */
export type Activations = { readonly address: number; readonly count: number }

/** Bytes of memory that a product needs besides its operands. */
export const PRODUCT_SCRATCH = 512

/** Rows of a matrix, from a multiple of GROUP_ROWS on. */
export type RowRange = { readonly from: number; readonly until: number }

/** Bytes of a vector of activations, see kernels/layout.as.ts. */
export function activationBytes(blocks: number): number {
  return Math.ceil((blocks * 68 + 4) / 16) * 16
}

/**
 * Writes the products of a matrix with activations to the address `target`: Q24, those of a vector one after the other. Rows can
 * be computed apart from each other. `scratch` is the address of PRODUCT_SCRATCH bytes.
 */
export function multiply(
  kernels: Pick<Kernels, 'multiplyMatrix' | 'addMinima'>,
  { form, rows, blocks, planes, minima }: Matrix,
  { address, count }: Activations,
  { target, scratch, from, until }: { target: number; scratch: number } & RowRange,
): void {
  planes.forEach((plane, index) =>
    kernels.multiplyMatrix(
      form,
      plane,
      from,
      until,
      rows,
      blocks,
      address,
      count,
      target,
      index > 0,
      scratch,
    ),
  )
  if (minima !== undefined)
    kernels.addMinima(form, minima, from, until, rows, blocks, address, count, target, scratch)
}

/** Writes one row to the address `target`, as Q24: an embedding. */
export function readRow(
  kernels: Kernels,
  { form, planes, blocks, minima }: Matrix,
  row: number,
  target: number,
): void {
  planes.forEach((plane, index) => kernels.readRow(form, plane, row, blocks, target, index > 0))
  if (minima !== undefined) kernels.addRowMinima(form, minima, row, blocks, target)
}
