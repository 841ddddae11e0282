/**
 * Runs a model over sequences of tokens, of which some may be evaluated together. Results do not depend on which, on how a sequence is
 * split into batches, nor on how many memories the layers are in (D132, D154).
 */
import type { Kernels } from './kernels.ts'
import { layerConstants } from './layerConstants.ts'
import { readRow } from './matrix.ts'
import { entryBytes } from './memoryPlan.ts'
import type { RopeTables } from './ropeTables.ts'
import type { RowThreads } from './rowThreads.ts'
import { openPart, type PartCache, type PartRow, type SessionPart } from './sessionPart.ts'
import type { StepSizes } from './stepHasher.ts'
import type { Layer, Weights } from './weights.ts'

/**
 * Observes each layer's results of a row, by addresses in its memory that are valid until the next call: the residual stream (i64 with
 * 24 fractional bits, little-endian), and the entry of the cache: keys, values (i16), shifts of the keys, of the values
 * (i32, one per key head), zeros up to a multiple of 16.
 */
export type LayerObserver = (row: number, layer: number, residual: number, entry: number) => void

/** A sequence being built. */
export type Sequence = {
  /** Gives its memory back. */
  end(): void
}

/** The next token of a sequence, below the size of the vocabulary. */
export type Row = { readonly sequence: Sequence; readonly token: number }

/** Number of rows whose logits are computed together, at most. */
export const LOGIT_ROWS = 8

/** It owns the model's memory above the weights: one session at a time. */
export type Session = {
  readonly stepSizes: Omit<StepSizes, 'layers'>
  /** Begins a sequence of at most `capacity` tokens. Throws InferenceError if there is not enough memory. */
  begin(tables: RopeTables, capacity: number): Sequence
  /** Bytes that all sequences would take with a further one of at most `capacity` tokens. */
  bytesWith(capacity: number): number
  /** Evaluates 1 to MAX_BATCH tokens; those of one sequence are in their order. */
  append(rows: readonly Row[], observe?: LayerObserver): void
  /**
   * Computes the logits after up to LOGIT_ROWS rows of the last `append` from `first` on, and returns their address: one i64 with
   * 24 fractional bits per token of the vocabulary, row after row.
   */
  logits(first: number, count: number): number
  close(): void
}

type Member = {
  readonly tables: RopeTables
  readonly caches: ReadonlyMap<SessionPart, PartCache>
  length: number
}

/** Opens a session in all memories of the model (D132). Throws InferenceError if there is not enough memory. */
export function openSession(model: Weights, threads?: RowThreads): Session {
  const { kernels, shape, layers, embedding } = model
  const { width, vocabulary } = shape
  const constants = layerConstants(shape)
  const mark = kernels.mark()
  const parts = new Map<Kernels, SessionPart>()
  const members = new Map<Sequence, Member>()
  const close = (): void => {
    for (const part of parts.values()) part.close()
    kernels.release(mark)
  }
  const allocate = (): number => {
    try {
      const address = kernels.allocate(LOGIT_ROWS * vocabulary * 8)
      for (const memory of [kernels, ...layers.map((layer) => layer.kernels)])
        if (!parts.has(memory))
          parts.set(
            memory,
            openPart({ kernels: memory, shape, layers: layersIn(model, memory), threads }),
          )
      return address
    } catch (error) {
      close()
      throw error
    }
  }
  const logits = allocate()
  const home = parts.get(kernels) as SessionPart

  /** Moves the residual stream of `count` tokens to another memory. */
  const move = (from: SessionPart, to: SessionPart, count: number): void => {
    if (from === to) return
    const bytes = from.kernels.bytes().subarray(from.x, from.x + count * width * 8)
    to.kernels.bytes().set(bytes, to.x)
  }
  /** The rows as each part sees them; counts them. */
  const place = (rows: readonly Row[]): ReadonlyMap<SessionPart, readonly PartRow[]> => {
    const placed = rows.map(({ sequence }) => {
      const member = members.get(sequence) as Member
      return { ...member, position: member.length++ }
    })
    const rowsOf = (part: SessionPart): readonly PartRow[] =>
      placed.map(({ caches, position, tables }) => ({
        cache: caches.get(part) as PartCache,
        position,
        tables,
      }))
    return new Map([...parts.values()].map((part) => [part, rowsOf(part)]))
  }

  return {
    stepSizes: { residual: width * 8, entry: entryBytes(shape), logits: vocabulary * 8 },
    begin(tables, capacity) {
      const caches = new Map<SessionPart, PartCache>()
      const free = (): void => {
        for (const cache of caches.values()) cache.free()
      }
      try {
        for (const part of parts.values()) caches.set(part, part.openCache(capacity))
      } catch (error) {
        free()
        throw error
      }
      const member: Member = { tables, caches, length: 0 }
      const sequence: Sequence = {
        end() {
          if (members.delete(sequence)) free()
        },
      }
      members.set(sequence, member)
      return sequence
    },
    bytesWith: (capacity) =>
      [...parts.values()].reduce((sum, part) => sum + part.cacheBytesWith(capacity), 0),
    append(rows, observe) {
      const count = rows.length
      rows.forEach(({ token }, i) => readRow(kernels, embedding, token, home.x + i * width * 8))
      if (constants.embeddingScale !== undefined)
        kernels.scaleAll(home.x, constants.embeddingScale, count * width)
      const placed = place(rows)
      let part = home
      layers.forEach((layer, index) => {
        const next = parts.get(layer.kernels) as SessionPart
        move(part, next, count)
        part = next
        const here = placed.get(part) as readonly PartRow[]
        part.runLayer(index, here)
        here.forEach(({ cache, position }, i) =>
          observe?.(i, index, part.x + i * width * 8, cache.entryAt(index, position)),
        )
      })
      move(part, home, count)
    },
    logits(first, count) {
      home.project(model.outputNorm, model.output, { first, count }, logits)
      if (constants.logitCap > 0n)
        kernels.softCapAll(logits, count * vocabulary, constants.logitCap)
      return logits
    },
    close,
  }
}

/** The layers whose weights are in a memory, by their numbers. */
export function layersIn({ layers }: Weights, memory: Kernels): ReadonlyMap<number, Layer> {
  return new Map([...layers.entries()].filter(([, layer]) => layer.kernels === memory))
}
