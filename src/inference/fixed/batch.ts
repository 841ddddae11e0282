/**
 * Executions of one model that run at once, D154: each step evaluates the next token of every one of them, and fills up with tokens of
 * prompts, so that the weights are read once for all. Each has the bits that it has alone, since every row is computed by itself.
 */
import { setImmediate } from 'node:timers/promises'
import { createLane, isDecoding, type Lane, type RunRequest } from './lane.ts'
import { contextBytes, HASH_BATCH, sequenceBytes } from './memoryNeed.ts'
import { createModelHasher } from './modelHasher.ts'
import type { RopeChoice } from './ropeTables.ts'
import { openModelThreads, type RowThreads } from './rowThreads.ts'
import { createSampler } from './sampler.ts'
import { LOGIT_ROWS, openSession, type Row, type Session } from './session.ts'
import { MAX_BATCH } from './sessionPart.ts'
import type { StepHasher } from './stepHasher.ts'
import type { TokenTrace } from './trace.ts'
import type { Weights } from './weights.ts'

/** Executions of one model at once. */
export const MAX_EXECUTIONS = 16

/** One of the executions. */
export type Execution = {
  /** Its steps, in the order of the computation, see run.ts. It goes on only as they are taken. */
  steps(): AsyncGenerator<TokenTrace>
  /** Ends it, wherever it is; resolves when what it alone used is free. */
  leave(): Promise<void>
}

export type Batch = {
  /**
   * Lets an execution take part from the next step on. Throws InferenceError if there is not enough memory, and RangeError beyond
   * MAX_EXECUTIONS. `isEnd` says whether a token ends a generation.
   */
  join(
    request: RunRequest,
    using: { readonly rope: RopeChoice; readonly isEnd: (token: number) => boolean },
  ): Promise<Execution>
  /** Bytes of all executions with a further one of so many tokens, besides the weights. */
  bytesWith(tokens: number): number
}

/** What exists while there are executions. */
type Running = {
  readonly session: Session
  readonly threads: RowThreads | undefined
  readonly hasher: StepHasher
  /** Room for the weights of a draw. */
  readonly drawing: number
}

/** The executions of a model: none yet. */
export function createBatch(model: Weights): Batch {
  const { kernels, shape } = model
  const lanes = new Set<Lane>()
  let running: Running | undefined
  let closing: Promise<void> | undefined
  let isLooping = false
  /** Tokens whose steps wait to be hashed. */
  let unhashed = 0

  const open = (threadCount: number): Running => {
    const threads = openModelThreads(model, threadCount)
    let session: Session | undefined
    try {
      session = openSession(model, threads)
      const hasher = createModelHasher(model, session.stepSizes, HASH_BATCH)
      return { session, threads, hasher, drawing: kernels.allocate(shape.vocabulary * 4) }
    } catch (error) {
      session?.close()
      closing = ended(threads)
      throw error
    }
  }
  const ended = (threads: RowThreads | undefined): Promise<void> | undefined =>
    threads?.close().finally(() => {
      closing = undefined
    })
  const closeIfIdle = async (): Promise<void> => {
    if (lanes.size > 0 || running === undefined) return closing
    const { session, threads } = running
    running = undefined
    unhashed = 0
    session.close()
    closing = ended(threads)
    return closing
  }

  const flush = (hasher: StepHasher): void => {
    hasher.flush()
    unhashed = 0
    for (const lane of lanes) lane.deliver()
  }
  /** The rows of the next step: first those that choose a token. */
  const nextRows = (wanted: readonly Lane[]): { readonly lane: Lane; readonly token: number }[] => {
    const rows = wanted.filter(isDecoding).map((lane) => ({ lane, token: lane.next() }))
    for (const lane of wanted.filter((other) => !isDecoding(other)))
      for (const token of lane.nextOfPrompt(MAX_BATCH - rows.length)) rows.push({ lane, token })
    return rows
  }
  const choose = ({ session, hasher }: Running, choosing: readonly Lane[]): void => {
    for (let first = 0; first < choosing.length; first += LOGIT_ROWS) {
      const some = choosing.slice(first, first + LOGIT_ROWS)
      const logits = session.logits(first, some.length)
      some.forEach((lane, i) => lane.choose(logits + i * shape.vocabulary * 8, hasher))
    }
  }
  const step = (now: Running, wanted: readonly Lane[]): void => {
    const choosing = wanted.filter(isDecoding)
    const rows = nextRows(wanted)
    if (unhashed + rows.length > HASH_BATCH) flush(now.hasher)
    const pending = rows.map(({ lane, token }) => lane.begin(token))
    unhashed += rows.length
    now.session.append(
      rows.map(({ lane, token }): Row => ({ sequence: lane.sequence, token })),
      (row, layer, residual, entry) => {
        const { position, hashes, isHashed } = pending[row] as (typeof pending)[number]
        if (isHashed) now.hasher.addLayer(position, layer, residual, entry, hashes)
      },
    )
    choose(now, choosing)
    if (wanted.some((lane) => lane.isOver)) flush(now.hasher)
  }
  const loop = async (): Promise<void> => {
    if (isLooping) return
    isLooping = true
    for (;;) {
      for (const lane of lanes) lane.checkSignal()
      const wanted = [...lanes].filter((lane) => lane.isWanted)
      if (wanted.length === 0 || running === undefined) break
      try {
        step(running, wanted)
      } catch (error) {
        for (const lane of lanes) lane.fail(error)
      }
      await setImmediate()
    }
    isLooping = false
  }

  return {
    async join(request, { rope, isEnd }) {
      for (let end = closing; end !== undefined; end = closing) await end
      if (lanes.size >= MAX_EXECUTIONS) throw new RangeError('too many executions at once')
      const { prompt, room, sampling, threads = 1 } = request
      running ??= open(threads)
      try {
        const capacity = prompt.length + room
        const sequence = running.session.begin(rope(capacity), capacity)
        const sample = createSampler(kernels, shape.vocabulary, sampling, running.drawing)
        const lane = createLane(request, sequence, sample, isEnd)
        lanes.add(lane)
        return {
          steps: () => lane.steps(() => void loop()),
          leave: async () => {
            if (lanes.delete(lane)) sequence.end()
            await closeIfIdle()
          },
        }
      } catch (error) {
        await closeIfIdle()
        throw error
      }
    },
    bytesWith: (tokens) =>
      running === undefined
        ? contextBytes(shape, tokens)
        : contextBytes(shape, tokens) -
          sequenceBytes(shape, tokens) +
          running.session.bytesWith(tokens),
  }
}
