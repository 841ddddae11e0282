/** Runs a model over a sequence of tokens. Results do not depend on how the sequence is split into batches. */
import {
  activationBytes,
  multiply as multiplyRows,
  PRODUCT_SCRATCH,
  readRow,
  type Matrix,
} from './matrix.ts'
import type { RopeTable } from './rope.ts'
import type { RopeChoice } from './ropeTables.ts'
import { layerConstants } from './layerConstants.ts'
import type { StepSizes } from './stepHasher.ts'
import { BLOCK } from './tensors.ts'
import type { Layer, Norm, Weights } from './weights.ts'

/** Number of tokens that pass through a layer together, so that its weights are read only once for them. */
export const MAX_BATCH = 32

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
export function openSession(model: Weights, rope: RopeChoice, capacity: number): Session {
  const { kernels, shape } = model
  const { width, heads, keyHeads, headSize, hidden, architecture } = shape
  const queryWidth = heads * headSize
  const keyWidth = keyHeads * headSize
  const mark = kernels.mark()
  const longs = (count: number): number => kernels.allocate(count * 8)
  const x = longs(MAX_BATCH * width)
  const y = longs(MAX_BATCH * Math.max(width, queryWidth))
  const query = longs(MAX_BATCH * queryWidth)
  const key = longs(MAX_BATCH * keyWidth)
  const value = longs(MAX_BATCH * keyWidth)
  const gate = longs(MAX_BATCH * hidden)
  const up = longs(MAX_BATCH * hidden)
  const widest = Math.max(width, hidden, queryWidth)
  const quantized = kernels.allocate(MAX_BATCH * activationBytes(widest / BLOCK))
  const angles = kernels.allocate(shape.ropeSize * 4)
  // Room for a query of 16-bit numbers, and a score per position.
  const scratch = kernels.allocate(headSize * 2 + capacity * 8)
  const productScratch = kernels.allocate(PRODUCT_SCRATCH)
  const logits = longs(shape.vocabulary)
  // All data of a position is contiguous, so that it is hashed in one piece.
  const entry = Math.ceil((4 * keyWidth + 8 * keyHeads) / 16) * 16
  const caches = model.layers.map(() => kernels.allocate(capacity * entry))
  const tables = rope(capacity)
  const constants = layerConstants(shape)
  let length = 0

  const normalize = (norm: Norm, epsilon: bigint, from: number, count: number): void => {
    for (let i = 0; i < count; i++) {
      const offset = i * width * 8
      kernels.normalize(from + offset, norm.gains, norm.bits, epsilon, width, y + offset)
    }
  }
  const quantize = (source: number, columns: number, count: number): void =>
    kernels.quantizeActivations(source, columns / BLOCK, count, quantized)
  const multiply = (matrix: Matrix, count: number, target: number): void =>
    multiplyRows(
      kernels,
      matrix,
      { address: quantized, count },
      { target, scratch: productScratch, from: 0, until: matrix.rows },
    )
  const rotate = (heads: number, address: number): void =>
    architecture.pairs === 'halves'
      ? kernels.rotateHalves(address, heads, headSize, shape.ropeSize / 2, angles)
      : kernels.rotate(address, heads, headSize, angles)
  /** Each head on its own. */
  const normalizeHeads = ({ gains, bits }: Norm, heads: number, address: number): void => {
    for (let head = 0; head < heads; head++) {
      const at = address + head * headSize * 8
      kernels.normalize(at, gains, bits, shape.epsilon, headSize, at)
    }
  }

  /** Rotates and stores key and value of one token, and writes the attention of its heads to y. */
  const attend = (
    layer: Layer,
    table: RopeTable,
    cache: number,
    window: number,
    i: number,
  ): void => {
    const at = length + i
    const row = table.at(at)
    kernels.bytes().set(new Uint8Array(row.buffer, row.byteOffset, row.byteLength), angles)
    const queries = query + i * queryWidth * 8
    const keys = key + i * keyWidth * 8
    const values = value + i * keyWidth * 8
    if (layer.biases !== undefined) {
      kernels.accumulate(queries, layer.biases.query, queryWidth)
      kernels.accumulate(keys, layer.biases.key, keyWidth)
      kernels.accumulate(values, layer.biases.value, keyWidth)
    }
    if (layer.headNorms !== undefined) {
      normalizeHeads(layer.headNorms.query, heads, queries)
      normalizeHeads(layer.headNorms.key, keyHeads, keys)
    }
    rotate(heads, queries)
    rotate(keyHeads, keys)
    kernels.storeEntry(keys, values, keyHeads, headSize, cache + at * entry)
    const seen = Math.min(at + 1, window)
    kernels.attend(
      queries,
      heads,
      keyHeads,
      headSize,
      cache + (at + 1 - seen) * entry,
      seen,
      constants.factor,
      scratch,
      y + i * queryWidth * 8,
      constants.attentionCap,
    )
  }

  /** Adds the result in y to the residual stream, where the architecture says so after a norm. */
  const addResult = (norm: Norm | undefined, count: number): void => {
    if (norm !== undefined) normalize(norm, shape.epsilon, y, count)
    kernels.accumulate(x, y, count * width)
  }

  const runLayer = (index: number, layer: Layer, cache: number, count: number): void => {
    const isWindowed = shape.windowed[index] === true
    normalize(layer.attentionNorm, constants.epsilon, x, count)
    quantize(y, width, count)
    multiply(layer.query, count, query)
    multiply(layer.key, count, key)
    multiply(layer.value, count, value)
    const table = isWindowed ? tables.windowed : tables.full
    const window = isWindowed ? shape.window : Infinity
    for (let i = 0; i < count; i++) attend(layer, table, cache, window, i)
    quantize(y, queryWidth, count)
    multiply(layer.attentionOutput, count, y)
    addResult(layer.postNorms?.attention, count)
    normalize(layer.hiddenNorm, constants.epsilon, x, count)
    quantize(y, width, count)
    multiply(layer.gate, count, gate)
    multiply(layer.up, count, up)
    if (architecture.activation === 'gelu') kernels.gateGelu(gate, up, count * hidden)
    else kernels.gate(gate, up, count * hidden)
    quantize(gate, hidden, count)
    multiply(layer.down, count, y)
    addResult(layer.postNorms?.hidden, count)
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
      tokens.forEach((token, i) => readRow(kernels, model.embedding, token, x + i * width * 8))
      if (constants.embeddingScale !== undefined)
        kernels.scaleAll(x, constants.embeddingScale, tokens.length * width)
      model.layers.forEach((layer, index) => {
        runLayer(index, layer, caches[index] as number, tokens.length)
        if (observe !== undefined) observeLayer(observe, index, tokens.length)
      })
      length += tokens.length
      last = tokens.length - 1
    },
    logits() {
      normalize(model.outputNorm, constants.epsilon, x + last * width * 8, 1)
      quantize(y, width, 1)
      multiply(model.output, 1, logits)
      if (constants.logitCap > 0n) kernels.softCapAll(logits, shape.vocabulary, constants.logitCap)
      return logits
    },
    close: () => kernels.release(mark),
  }
}
