/** How matrices are kept in memory, see kernels/layout.as.ts, and how much they need. */
import { unsupported } from './shape.ts'
import { BLOCK, ENCODINGS } from './tensors.ts'

/** Flags of a form. */
const BYTES = 1
const LEVELS = 2
const HALVES = 4
const UNSIGNED = 8

/**
 * The forms of encodings, by their numbers in GGML: weights stay at their own width of four bits, other ones take a byte. Plain
 * numbers are planes of bytes.
 */
const FORMS: Readonly<Record<number, number>> = {
  0: BYTES,
  1: BYTES,
  2: 0,
  3: UNSIGNED,
  6: BYTES,
  7: BYTES,
  8: BYTES,
  12: UNSIGNED | LEVELS,
  13: BYTES | LEVELS,
  14: BYTES | LEVELS | HALVES,
  30: BYTES,
}

/** Rows that are kept, and computed, together. */
export const GROUP_ROWS = 16

/** The form of an encoding. Throws InferenceError `unsupported-model` for one that does not run. */
export function formOf(type: number): number {
  const form = FORMS[type]
  if (form === undefined) throw unsupported(`the encoding ${type} has no known form`)
  return form
}

/** Bytes of one plane; `blocks` is the number of columns divided by 32. */
export function planeBytes(form: number, rows: number, blocks: number): number {
  const scales = form & LEVELS ? (form & HALVES ? 32 : 16) + 64 / 8 : 64
  const weights = (form & BYTES ? 32 : 16) * GROUP_ROWS
  return Math.ceil(rows / GROUP_ROWS) * blocks * (scales + weights)
}

/** Bytes of the minima of a matrix, see kernels/minima.as.ts. */
export function minimaBytes(form: number, rows: number, blocks: number): number {
  return Math.ceil(rows / GROUP_ROWS) * GROUP_ROWS * blocks * (form & LEVELS ? 12 / 8 : 4)
}

/** Planes that plain numbers are taken to need before they are read: enough for those below one. */
const USUAL_PLANES = 4

/** Bytes of memory that a matrix of an encoding needs; of plain numbers an estimate. */
export function matrixBytes(type: number, rows: number, columns: number): number {
  const encoding = ENCODINGS[type]
  const form = formOf(type)
  const blocks = columns / BLOCK
  const planes = encoding?.isNumbers === true ? USUAL_PLANES : 1
  const minima = encoding?.hasMinima === true ? minimaBytes(form, rows, blocks) : 0
  return planes * planeBytes(form, rows, blocks) + minima
}
