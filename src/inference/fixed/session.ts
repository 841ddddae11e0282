/** Runs a model over a sequence of tokens. Results do not depend on how the sequence is split into batches. */
import type { Kernels } from './kernels.ts'
import type { RopeTable } from './rope.ts'
import type { StepSizes } from './stepHasher.ts'
import { BLOCK } from './tensors.ts'
import type { Layer, Matrix, Weights } from './weights.ts'

/** Number of tokens that pass through a layer together, so that its weights are read only once for them. */
export const MAX_BATCH = 8

/** log2(e) with 28 fractional bits. */
const LOG2_E = 387_270_501

/**
 * Observes each layer's results, by addresses that are valid until the next call: the residual stream (i64 with 24
 * fractional bits, little-endian), and the entry of the cache: keys, values (i16), shifts of the keys, of the values
 * (i32, one per key head), zeros up to a multiple of 16.
 */
export type LayerObserver = (
  position: number,
  layer: number,
  residual: number,
  entry: number,
) => void

/** A sequence being built. It owns the model's memory above the weights: one session at a time. */
export type Session = {
  /** Tokens evaluated so far. */
  readonly position: () => number
  readonly stepSizes: StepSizes
  /** Appends 1 to MAX_BATCH tokens, each below the size of the vocabulary. */
  append(tokens: readonly number[], observe?: LayerObserver): void
  /** Computes the logits after the last token and returns their address: one i64 with 24 fractional bits per token. */
  logits(): number
  close(): void
}

/** Opens a session for at most `capacity` tokens. Throws InferenceError if there is not enough memory. */
export function openSession(model: Weights, rope: RopeTable, capacity: number): Session {
  const { kernels, shape } = model
  const { width, heads, keyHeads, headSize, hidden } = shape
  const keyWidth = keyHeads * headSize
  const mark = kernels.mark()
  const longs = (count: number): number => kernels.allocate(count * 8)
  const x = longs(MAX_BATCH * width)
  const y = longs(MAX_BATCH * width)
  const query = longs(MAX_BATCH * width)
  const key = longs(MAX_BATCH * keyWidth)
  const value = longs(MAX_BATCH * keyWidth)
  const gate = longs(MAX_BATCH * hidden)
  const up = longs(MAX_BATCH * hidden)
  const quantized = kernels.allocate(MAX_BATCH * activationBytes(Math.max(width, hidden) / BLOCK))
  const angles = kernels.allocate(headSize * 4)
  // Room for a query of 16-bit numbers, and a score per position.
  const scratch = kernels.allocate(headSize * 2 + capacity * 8)
  const logits = longs(shape.vocabulary)
  // All data of a position is contiguous, so that it is hashed in one piece.
  const entry = Math.ceil((4 * keyWidth + 8 * keyHeads) / 16) * 16
  const caches = model.layers.map(() => kernels.allocate(capacity * entry))
  const factor = BigInt(inverseRoot(headSize))
  let length = 0

  const normalize = (gains: number, count: number): void => {
    for (let i = 0; i < count; i++)
      kernels.normalize(x + i * width * 8, gains, shape.epsilon, width, y + i * width * 8)
  }
  const quantize = (source: number, columns: number, count: number): void =>
    kernels.quantizeActivations(source, columns / BLOCK, count, quantized)
  const multiply = (matrix: Matrix, count: number, target: number): void =>
    multiplyPlanes(kernels, matrix, quantized, count, target)

  /** Rotates and stores key and value of one token, and writes the attention of its heads to y. */
  const attend = (cache: number, i: number): void => {
    const at = length + i
    const row = rope.at(at)
    kernels.bytes().set(new Uint8Array(row.buffer, row.byteOffset, row.byteLength), angles)
    const queries = query + i * width * 8
    const keys = key + i * keyWidth * 8
    kernels.rotate(queries, heads, headSize, angles)
    kernels.rotate(keys, keyHeads, headSize, angles)
    const values = value + i * keyWidth * 8
    kernels.storeEntry(keys, values, keyHeads, headSize, cache + at * entry)
    kernels.attend(
      queries,
      heads,
      keyHeads,
      headSize,
      cache,
      at + 1,
      factor,
      scratch,
      y + i * width * 8,
    )
  }

  const runLayer = (layer: Layer, cache: number, count: number): void => {
    normalize(layer.attentionNorm, count)
    quantize(y, width, count)
    multiply(layer.query, count, query)
    multiply(layer.key, count, key)
    multiply(layer.value, count, value)
    for (let i = 0; i < count; i++) attend(cache, i)
    quantize(y, width, count)
    multiply(layer.attentionOutput, count, y)
    kernels.accumulate(x, y, count * width)
    normalize(layer.hiddenNorm, count)
    quantize(y, width, count)
    multiply(layer.gate, count, gate)
    multiply(layer.up, count, up)
    kernels.gate(gate, up, count * hidden)
    quantize(gate, hidden, count)
    multiply(layer.down, count, y)
    kernels.accumulate(x, y, count * width)
  }

  const observeLayer = (observe: LayerObserver, index: number, count: number): void => {
    const cache = caches[index] as number
    for (let i = 0; i < count; i++) {
      const at = length + i
      observe(at, index, x + i * width * 8, cache + at * entry)
    }
  }

  let last = 0
  return {
    position: () => length,
    stepSizes: {
      layers: model.layers.length,
      residual: width * 8,
      entry,
      logits: shape.vocabulary * 8,
    },
    append(tokens, observe) {
      tokens.forEach((token, i) =>
        readEmbedding(kernels, model.embedding, token, x + i * width * 8),
      )
      model.layers.forEach((layer, index) => {
        runLayer(layer, caches[index] as number, tokens.length)
        if (observe !== undefined) observeLayer(observe, index, tokens.length)
      })
      length += tokens.length
      last = tokens.length - 1
    },
    logits() {
      kernels.normalize(x + last * width * 8, model.outputNorm, shape.epsilon, width, y)
      quantize(y, width, 1)
      multiply(model.output, 1, logits)
      return logits
    },
    close: () => kernels.release(mark),
  }
}

/** Bytes of a vector of activations, see kernels/layout.as.ts. */
function activationBytes(blocks: number): number {
  return Math.ceil((blocks * 68 + 4) / 16) * 16
}

function multiplyPlanes(
  kernels: Kernels,
  { planes, rows, blocks, minima }: Matrix,
  activations: number,
  count: number,
  target: number,
): void {
  planes.forEach((matrix, plane) =>
    kernels.multiplyMatrix(matrix, rows, blocks, activations, count, target, plane > 0),
  )
  if (minima !== undefined) kernels.addMinima(minima, rows, blocks, activations, count, target)
}

function readEmbedding(
  kernels: Kernels,
  { planes, blocks, minima }: Matrix,
  token: number,
  x: number,
): void {
  planes.forEach((matrix, plane) => kernels.readRow(matrix, token, blocks, x, plane > 0))
  if (minima !== undefined) kernels.addRowMinima(minima, token, blocks, x)
}

/** log2(e) / sqrt(headSize) with 28 fractional bits, rounded down. */
function inverseRoot(headSize: number): number {
  const square = (BigInt(LOG2_E) * BigInt(LOG2_E)) / BigInt(headSize)
  let root = BigInt(LOG2_E)
  while (root * root > square) root = (root + square / root) >> 1n
  return Number(root)
}
