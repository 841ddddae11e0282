/**
 * One product at a time that several threads compute, each taking some rows after the others. All that they share is memory: a
 * ticket, which counts the parts that nobody took, and the operands (D134).
 */
import { multiply, PRODUCT_SCRATCH, type Matrix } from './matrix.ts'
import type { Kernels } from './kernels.ts'

/** A product: a matrix in one of the memories, and where activations and results are. */
export type Product = {
  readonly memory: number
  readonly matrix: Matrix
  readonly activations: number
  readonly count: number
  readonly target: number
  /** The address of PRODUCT_SCRATCH bytes for each thread. */
  readonly scratch: number
}

/** What is needed of the kernels. */
export type RowKernels = Pick<Kernels, 'multiplyMatrix' | 'addMinima'>

/** Places of the control words. A ticket is the number of parts left, and above it a number that tells products apart. */
const TICKET = 0
const DONE = 1
const PARAMETERS = 2
const MAX_PLANES = 8
const WORDS = PARAMETERS + 11 + MAX_PLANES

/** Bits of the number of parts. */
const PART_BITS = 16
const PARTS = (1 << PART_BITS) - 1

/** Turns that the caller looks for the last part before it sleeps. */
const SPINS = 2000
/** Milliseconds after which it looks again. */
const LOOK_MS = 1

/** Control words for a set of threads. */
export function createControl(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(WORDS * 4))
}

/** Takes a part: its number, or undefined when there is none. The operands stay as they are until it is done. */
function takePart(control: Int32Array): number | undefined {
  for (;;) {
    const ticket = Atomics.load(control, TICKET)
    if ((ticket & PARTS) === 0) return undefined
    if (Atomics.compareExchange(control, TICKET, ticket, ticket - 1) === ticket)
      return (ticket & PARTS) - 1
  }
}

function doPart(
  control: Int32Array,
  kernels: readonly RowKernels[],
  thread: number,
  part: number,
): void {
  const word = (at: number): number => (control[PARAMETERS + at] as number) >>> 0
  const [form, rows, blocks, planes, minima] = [word(1), word(2), word(3), word(4), word(5)]
  const perPart = word(10)
  const matrix: Matrix = {
    form,
    rows,
    blocks,
    planes: Array.from({ length: planes }, (_, i) => word(11 + i)),
    ...(minima !== 0 && { minima }),
  }
  multiply(
    kernels[word(0)] as RowKernels,
    matrix,
    { address: word(6), count: word(7) },
    {
      target: word(8),
      scratch: word(9) + thread * PRODUCT_SCRATCH,
      from: part * perPart,
      until: Math.min(rows, (part + 1) * perPart),
    },
  )
  Atomics.add(control, DONE, 1)
  Atomics.notify(control, DONE)
}

/** Takes part in products as thread `thread` (from 1 on) until it is terminated. */
export function serveRows(
  control: Int32Array,
  kernels: readonly RowKernels[],
  thread: number,
): never {
  for (;;) {
    const part = takePart(control)
    if (part !== undefined) doPart(control, kernels, thread, part)
    else {
      const ticket = Atomics.load(control, TICKET)
      if ((ticket & PARTS) === 0) Atomics.wait(control, TICKET, ticket)
    }
  }
}

/** Computes a product together with whoever serves; returns when it is complete. `perPart` rows are a multiple of 16. */
export function multiplyTogether(
  control: Int32Array,
  kernels: readonly RowKernels[],
  { memory, matrix, activations, count, target, scratch }: Product,
  perPart: number,
): void {
  const { form, rows, blocks, planes, minima = 0 } = matrix
  const words = [memory, form, rows, blocks, planes.length, minima, activations, count, target]
  control.set([...words, scratch, perPart, ...planes], PARAMETERS)
  const parts = Math.ceil(rows / perPart)
  const before = Atomics.load(control, TICKET)
  Atomics.store(control, DONE, 0)
  Atomics.store(control, TICKET, ((before & ~PARTS) + PARTS + 1) | parts)
  Atomics.notify(control, TICKET)
  for (let part = takePart(control); part !== undefined; part = takePart(control))
    doPart(control, kernels, 0, part)
  for (let spin = 0; ; spin++) {
    const done = Atomics.load(control, DONE)
    if (done === parts) return
    if (spin > SPINS) Atomics.wait(control, DONE, done, LOOK_MS)
  }
}

/** Whether a matrix has room among the control words. */
export function canShare({ planes, rows }: Matrix): boolean {
  return planes.length <= MAX_PLANES && rows >= 32
}
