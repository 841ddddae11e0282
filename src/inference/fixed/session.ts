/**
 * Runs a model over a sequence of tokens. Results do not depend on how the sequence is split into batches, nor on how many
 * memories its layers are in (D132).
 */
import type { Kernels } from './kernels.ts'
import { layerConstants } from './layerConstants.ts'
import { readRow } from './matrix.ts'
import { entryBytes } from './memoryPlan.ts'
import type { RopeChoice } from './ropeTables.ts'
import type { RowThreads } from './rowThreads.ts'
import { openPart, type SessionPart } from './sessionPart.ts'
import type { StepSizes } from './stepHasher.ts'
import type { Layer, Weights } from './weights.ts'

/**
 * Observes each layer's results, by addresses in its memory that are valid until the next call: the residual stream (i64 with 24
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
  readonly stepSizes: Omit<StepSizes, 'layers'>
  /** Appends 1 to MAX_BATCH tokens, each below the size of the vocabulary. */
  append(tokens: readonly number[], observe?: LayerObserver): void
  /** Computes the logits after the last token and returns their address: one i64 with 24 fractional bits per token. */
  logits(): number
  close(): void
}

/** Opens a session for at most `capacity` tokens, in all memories of the model (D132). Throws InferenceError if there is not enough memory. */
export function openSession(
  model: Weights,
  rope: RopeChoice,
  capacity: number,
  threads?: RowThreads,
): Session {
  const { kernels, shape, layers, embedding } = model
  const { width } = shape
  const tables = rope(capacity)
  const constants = layerConstants(shape)
  const open = (memory: Kernels): SessionPart =>
    openPart({
      kernels: memory,
      shape,
      layers: layersIn(model, memory),
      tables,
      capacity,
      threads,
    })
  const mark = kernels.mark()
  const home = open(kernels)
  const parts = new Map([[kernels, home]])
  const close = (): void => {
    for (const part of parts.values()) part.close()
    kernels.release(mark)
  }
  const allocate = (): number => {
    try {
      for (const layer of layers)
        if (!parts.has(layer.kernels)) parts.set(layer.kernels, open(layer.kernels))
      return kernels.allocate(shape.vocabulary * 8)
    } catch (error) {
      close()
      throw error
    }
  }
  const logits = allocate()
  let length = 0

  /** Moves the residual stream of `count` tokens to another memory. */
  const move = (from: SessionPart, to: SessionPart, count: number): void => {
    if (from === to) return
    const bytes = from.kernels.bytes().subarray(from.x, from.x + count * width * 8)
    to.kernels.bytes().set(bytes, to.x)
  }

  let last = 0
  return {
    position: () => length,
    stepSizes: { residual: width * 8, entry: entryBytes(shape), logits: shape.vocabulary * 8 },
    append(tokens, observe) {
      const count = tokens.length
      tokens.forEach((token, i) => readRow(kernels, embedding, token, home.x + i * width * 8))
      if (constants.embeddingScale !== undefined)
        kernels.scaleAll(home.x, constants.embeddingScale, count * width)
      let part = home
      layers.forEach((layer, index) => {
        const next = parts.get(layer.kernels) as SessionPart
        move(part, next, count)
        part = next
        part.runLayer(index, length, count)
        for (let i = 0; i < count; i++)
          observe?.(length + i, index, part.x + i * width * 8, part.entryAt(index, length + i))
      })
      move(part, home, count)
      length += count
      last = count - 1
    },
    logits() {
      home.project(model.outputNorm, model.output, last, logits)
      if (constants.logitCap > 0n) kernels.softCapAll(logits, shape.vocabulary, constants.logitCap)
      return logits
    },
    close,
  }
}

/** The layers whose weights are in a memory, by their numbers. */
export function layersIn({ layers }: Weights, memory: Kernels): ReadonlyMap<number, Layer> {
  return new Map([...layers.entries()].filter(([, layer]) => layer.kernels === memory))
}
