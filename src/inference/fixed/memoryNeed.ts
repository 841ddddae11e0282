/** How much memory a model needs, known before it is loaded (D129). */
import { entryBytes, tensorBytes } from './memoryPlan.ts'
import type { ModelHead } from './modelFile.ts'
import { LOGIT_ROWS } from './session.ts'
import { MAX_BATCH } from './sessionPart.ts'
import type { ModelShape } from './shape.ts'
import { stepBytes } from './stepHasher.ts'

/** Reading buffer, tables and code. */
const FIXED_BYTES = 8 * 1024 * 1024

/** Bytes of the weights in memory. */
export function weightBytes({ tensors }: ModelHead): number {
  return [...tensors.values()].reduce((sum, tensor) => sum + tensorBytes(tensor), FIXED_BYTES)
}

/** Number of tokens whose steps are hashed together, at least as many as are evaluated together. */
export const HASH_BATCH = MAX_BATCH

/** Bytes of the caches of a sequence of at most so many tokens. */
export function sequenceBytes(shape: ModelShape, tokens: number): number {
  return tokens * (shape.layers * entryBytes(shape) + 8)
}

/** Bytes of a single sequence, besides the weights: cache, activations, logits, steps to be hashed. */
export function contextBytes(shape: ModelShape, tokens: number): number {
  const { width, layers, heads, keyHeads, headSize, hidden, vocabulary } = shape
  const queryWidth = heads * headSize
  const keyWidth = keyHeads * headSize
  const entry = entryBytes(shape)
  // Residual stream, results, queries, keys, values, gates and ups are 8 bytes each, activations a little over 2.
  const perToken =
    8 * (4 * width + 2 * queryWidth + 2 * keyWidth + 2 * hidden) + 3 * (width + hidden + queryWidth)
  const steps = stepBytes({ layers, residual: width * 8, entry, logits: vocabulary * 8 })
  return (
    sequenceBytes(shape, tokens) +
    MAX_BATCH * perToken +
    HASH_BATCH * steps +
    // Logits, and weights to draw by.
    vocabulary * (8 * LOGIT_ROWS + 4) +
    FIXED_BYTES
  )
}
