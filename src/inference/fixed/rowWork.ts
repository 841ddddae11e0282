/**
 * One product at a time that several threads compute, each taking some rows after the others. All that they share is memory: a
 * ticket, which counts the parts that nobody took, and the operands (D134).
 */
import { InferenceError } from '../errors.ts'
import type { Kernels } from './kernels.ts'
import { multiply, PRODUCT_SCRATCH, type Matrix } from './matrix.ts'

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
/** Parts that threw. */
const FAILED = 2
const PARAMETERS = 3
const MAX_PLANES = 8
const WORDS = PARAMETERS + 11 + MAX_PLANES

/** Bits of the number of parts. */
const PART_BITS = 16
const PARTS = (1 << PART_BITS) - 1

/** Turns that the caller looks for the last part before it sleeps. */
const SPINS = 2000
/** Milliseconds after which it looks again. */
const LOOK_MS = 1
/** Looks in a row without a part done after which the threads are given up. A part takes milliseconds, so this is a minute. */
const PATIENCE = 60_000

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
}

/** Does a part and counts it, also when it throws: the caller waits for all of them, and then says so. */
function countPart(
  control: Int32Array,
  kernels: readonly RowKernels[],
  thread: number,
  part: number,
): void {
  try {
    doPart(control, kernels, thread, part)
  } catch {
    Atomics.add(control, FAILED, 1)
  }
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
    if (part !== undefined) countPart(control, kernels, thread, part)
    else {
      const ticket = Atomics.load(control, TICKET)
      if ((ticket & PARTS) === 0) Atomics.wait(control, TICKET, ticket)
    }
  }
}

/**
 * Computes a product together with whoever serves; returns when it is complete. `perPart` rows are a multiple of 16. Throws
 * InferenceError `engine-failed` when a part failed, or when its thread ended within it: then no part was done for
 * `patience` looks, a millisecond each. The threads must be terminated before the memories are used again.
 */
export function multiplyTogether(
  control: Int32Array,
  kernels: readonly RowKernels[],
  { memory, matrix, activations, count, target, scratch }: Product,
  perPart: number,
  patience = PATIENCE,
): void {
  const { form, rows, blocks, planes, minima = 0 } = matrix
  const words = [memory, form, rows, blocks, planes.length, minima, activations, count, target]
  control.set([...words, scratch, perPart, ...planes], PARAMETERS)
  const parts = Math.ceil(rows / perPart)
  const before = Atomics.load(control, TICKET)
  Atomics.store(control, DONE, 0)
  Atomics.store(control, FAILED, 0)
  Atomics.store(control, TICKET, ((before & ~PARTS) + PARTS + 1) | parts)
  Atomics.notify(control, TICKET)
  for (let part = takePart(control); part !== undefined; part = takePart(control))
    countPart(control, kernels, 0, part)
  awaitParts(control, parts, patience)
  const failed = Atomics.load(control, FAILED)
  if (failed > 0)
    throw failure(`${failed} of the ${parts} parts of a product could not be computed`)
}

/** A thread that ends is seen by nobody while the caller blocks, so looks are counted. A machine that sleeps does not look. */
function awaitParts(control: Int32Array, parts: number, patience: number): void {
  let last = -1
  let looks = 0
  for (let spin = 0; ; spin++) {
    const done = Atomics.load(control, DONE)
    if (done === parts) return
    if (spin <= SPINS) continue
    looks = done === last ? looks + 1 : 0
    last = done
    if (looks > patience)
      throw failure('a thread that computes products ended, or made no progress for a minute')
    Atomics.wait(control, DONE, done, LOOK_MS)
  }
}

function failure(reason: string): InferenceError {
  return new InferenceError('engine-failed', `${reason}; submit the job again`)
}

/** Whether a matrix has room among the control words. */
export function canShare({ planes, rows }: Matrix): boolean {
  return planes.length <= MAX_PLANES && rows >= 32
}
