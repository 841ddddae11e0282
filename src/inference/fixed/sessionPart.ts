/** The part of a session for the layers whose weights are in one memory: its buffers, and the caches of keys and values of its sequences. */
import { createArena } from './arena.ts'
import type { Kernels } from './kernels.ts'
import { layerConstants } from './layerConstants.ts'
import {
  activationBytes,
  multiply as multiplyRows,
  PRODUCT_SCRATCH,
  type Matrix,
} from './matrix.ts'
import { entryBytes } from './memoryPlan.ts'
import type { RopeTable } from './rope.ts'
import type { RopeTables } from './ropeTables.ts'
import type { RowThreads } from './rowThreads.ts'
import type { ModelShape } from './shape.ts'
import { BLOCK } from './tensors.ts'
import type { Layer, Norm } from './weights.ts'

/** Number of tokens that pass through a layer together, so that its weights are read only once for them. */
export const MAX_BATCH = 32

/** What a part keeps of a sequence. */
export type PartCache = {
  /** The address of what a layer's cache holds for a position. */
  entryAt(index: number, position: number): number
  /** Room for its attention. */
  readonly scratch: number
  free(): void
}

/** A token that passes through a layer: the next one of its sequence. */
export type PartRow = {
  readonly cache: PartCache
  readonly position: number
  readonly tables: RopeTables
}

export type SessionPart = {
  readonly kernels: Kernels
  /** The address of the residual stream: i64 with 24 fractional bits, `width` for each of MAX_BATCH tokens. */
  readonly x: number
  /** Takes memory for a sequence of at most `capacity` tokens. Throws InferenceError if there is not enough. */
  openCache(capacity: number): PartCache
  /** Bytes that all its caches would take with a further one. */
  cacheBytesWith(capacity: number): number
  /** Runs a layer over tokens whose residual streams are in `x`, those of one sequence one after the other. */
  runLayer(index: number, rows: readonly PartRow[]): void
  /** Writes the products of a matrix with the residual streams of `count` tokens from `first` on, after a norm. */
  project(
    norm: Norm,
    matrix: Matrix,
    tokens: { first: number; count: number },
    target: number,
  ): void
  close(): void
}

export type PartOptions = {
  readonly kernels: Kernels
  readonly shape: ModelShape
  /** Its layers, by their numbers. */
  readonly layers: ReadonlyMap<number, Layer>
  /** Threads that compute large products together with this one. */
  readonly threads: RowThreads | undefined
}

/** Allocates a part. Throws InferenceError if there is not enough memory. */
export function openPart(options: PartOptions): SessionPart {
  const mark = options.kernels.mark()
  try {
    return allocatePart(options, mark)
  } catch (error) {
    options.kernels.release(mark)
    throw error
  }
}

function allocatePart({ kernels, shape, layers, threads }: PartOptions, mark: number): SessionPart {
  const { width, heads, keyHeads, headSize, hidden, architecture } = shape
  const queryWidth = heads * headSize
  const keyWidth = keyHeads * headSize
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
  const productScratch = kernels.allocate(PRODUCT_SCRATCH)
  const entry = entryBytes(shape)
  const arena = createArena(kernels)
  const places = new Map([...layers.keys()].map((index, place) => [index, place]))
  /** Room for the entries of all layers, a query of 16-bit numbers, and a score per position. */
  const cacheBytes = (capacity: number): number =>
    layers.size * capacity * entry + headSize * 2 + capacity * 8
  const constants = layerConstants(shape)

  const normalize = (norm: Norm, epsilon: bigint, from: number, count: number): void => {
    for (let i = 0; i < count; i++) {
      const offset = i * width * 8
      kernels.normalize(from + offset, norm.gains, norm.bits, epsilon, width, y + offset)
    }
  }
  const quantize = (source: number, columns: number, count: number): void =>
    kernels.quantizeActivations(source, columns / BLOCK, count, quantized)
  const multiply = (matrix: Matrix, count: number, target: number): void => {
    if (threads?.multiply(kernels, { matrix, activations: quantized, count, target }) === true)
      return
    const all = { target, scratch: productScratch, from: 0, until: matrix.rows }
    multiplyRows(kernels, matrix, { address: quantized, count }, all)
  }
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
  const attend = (index: number, { cache, position: at, tables }: PartRow, i: number): void => {
    const layer = layers.get(index) as Layer
    const isWindowed = shape.windowed[index] === true
    const table: RopeTable = isWindowed ? tables.windowed : tables.full
    const window = isWindowed ? shape.window : Infinity
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
    kernels.storeEntry(keys, values, keyHeads, headSize, cache.entryAt(index, at))
    const seen = Math.min(at + 1, window)
    kernels.attend(
      queries,
      heads,
      keyHeads,
      headSize,
      cache.entryAt(index, at + 1 - seen),
      seen,
      constants.factor,
      cache.scratch,
      y + i * queryWidth * 8,
      constants.attentionCap,
    )
  }

  /** Adds the result in y to the residual stream, where the architecture says so after a norm. */
  const addResult = (norm: Norm | undefined, count: number): void => {
    if (norm !== undefined) normalize(norm, shape.epsilon, y, count)
    kernels.accumulate(x, y, count * width)
  }

  const runLayer = (index: number, rows: readonly PartRow[]): void => {
    const layer = layers.get(index) as Layer
    const count = rows.length
    normalize(layer.attentionNorm, constants.epsilon, x, count)
    quantize(y, width, count)
    multiply(layer.query, count, query)
    multiply(layer.key, count, key)
    multiply(layer.value, count, value)
    rows.forEach((row, i) => attend(index, row, i))
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

  return {
    kernels,
    x,
    runLayer,
    openCache(capacity) {
      const { address, free } = arena.take(cacheBytes(capacity))
      const layerBytes = capacity * entry
      return {
        entryAt: (index, position) =>
          address + (places.get(index) as number) * layerBytes + position * entry,
        scratch: address + layers.size * layerBytes,
        free,
      }
    },
    cacheBytesWith: (capacity) => arena.sizeWith(cacheBytes(capacity)),
    project(norm, matrix, { first, count }, target) {
      normalize(norm, constants.epsilon, x + first * width * 8, count)
      quantize(y, width, count)
      multiply(matrix, count, target)
    },
    close: () => kernels.release(mark),
  }
}
