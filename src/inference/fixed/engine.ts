/**
 * The engine of opml jobs (D35): integer arithmetic only, so a request gives the same bits on every machine, and anyone
 * can replay it step by step.
 */
import { EventEmitter, once } from 'node:events'
import { availableParallelism } from 'node:os'
import { toHex } from '../../base/hex.ts'
import { createSerialQueue } from '../../base/serialQueue.ts'
import { checkParameters } from '../checkParameters.ts'
import { chatPrompt } from '../chat/chatPrompt.ts'
import type { RenderedChat } from '../chat/chatTemplate.ts'
import type { Engine, GenerateRequest, Generation, PromptForm } from '../engine.ts'
import { InferenceError } from '../errors.ts'
import { createStopFilter } from '../stopTexts.ts'
import { machineMemory } from '../machineMemory.ts'
import type { FixedModel } from './model.ts'
import { createModelPool } from './modelPool.ts'
import { MAX_EXECUTIONS, type Execution } from './batch.ts'
import type { RunRequest } from './lane.ts'
import { begin } from './run.ts'
import { toSampling } from './sampler.ts'
import { compareTokens, traceRoot, type Divergence, type Trace, type TokenTrace } from './trace.ts'

/** Changes whenever the arithmetic does. */
export const FIXED_ENGINE_ID = 'assay-fixed/1'

/** A leaf per token and layer (trace.ts), and per tensor of the model (modelRoot.ts). */
const COMMITMENT_VERSION = 1

/** Options of `openFixedEngine`. */
export type FixedOptions = {
  /** Number of models that stay loaded, 2 by default. */
  readonly keepLoaded?: number
  /** Upper bound of a context in tokens, 8192 by default. */
  readonly maxContext?: number
  /** Bytes for models and contexts: by default most of what the machine has. */
  readonly memory?: number
  /** Threads that compute: by default as many as the machine has cores. */
  readonly threads?: number
}

export type FixedEngine = Engine & {
  /**
   * Replays a generation and compares it with another operator's trace. Resolves with the first step that differs, or
   * undefined if all are equal. Rejects as `generate` does.
   */
  replay(request: GenerateRequest, claimed: Trace): Promise<Divergence | undefined>
}

/** Opens the engine. It needs nothing besides this package. */
export function openFixedEngine({
  keepLoaded = 2,
  maxContext = 8192,
  memory = machineMemory(),
  threads = availableParallelism(),
}: FixedOptions = {}): FixedEngine {
  /** Generations that are to begin: one after the other, so that none is passed by smaller ones. */
  const queue = createSerialQueue()
  /** Those that are going on, all of one model. */
  const executions = new Set<Execution>()
  let current: string | undefined
  const changes = new EventEmitter<{ left: [] }>().setMaxListeners(0)
  const models = createModelPool({ keepLoaded, memory })
  let isClosed = false

  const someoneLeaves = async (signal: AbortSignal): Promise<void> => {
    await once(changes, 'left', { signal }).catch(() => signal.throwIfAborted())
  }
  /** Waits until there is a place next to the generations that are going on: other models wait for the end of all. */
  const placeFor = async ({ model, signal }: GenerateRequest): Promise<void> => {
    const isFull = (): boolean => executions.size >= (model.sha256 === current ? MAX_EXECUTIONS : 1)
    while (isFull()) await someoneLeaves(signal)
    current = model.sha256
  }
  /** Begins a run as soon as there is memory for it, and at the latest when it is alone; then it fails. */
  const beginRun = async (
    request: GenerateRequest,
    model: FixedModel,
    planned: RunRequest,
  ): Promise<Execution> => {
    for (;;)
      try {
        models.reserve(request.model, planned.prompt.length + planned.room)
        return await begin(model, planned)
      } catch (error) {
        if (!(error instanceof InferenceError) || executions.size === 0) throw error
        await someoneLeaves(request.signal)
      }
  }

  /** Several generations of a model at once (D154). Each begins by itself: the next waits until its prompt is ready. */
  const withModel = async <T>(
    request: GenerateRequest,
    plan: (model: FixedModel, run: RunRequest) => Plan<T>,
  ): Promise<T & { readonly form: PromptForm }> => {
    checkParameters(request)
    const begun = await queue.run(async () => {
      request.signal.throwIfAborted()
      if (isClosed) throw new InferenceError('engine-unavailable', 'the engine is closed')
      await placeFor(request)
      const model = await models.take(request.model)
      const { chat, form } = await chatPrompt(model.chatTemplate, request)
      const { run, use } = plan(model, { ...toRun(model, request, maxContext, chat), threads })
      const execution = await beginRun(request, model, run)
      executions.add(execution)
      return { execution, use, form: { ...form, tokenListHash: model.tokenListHash } }
    })
    const { execution, use, form } = begun
    try {
      return { ...(await use(execution.steps())), form }
    } finally {
      await execution.leave()
      executions.delete(execution)
      changes.emit('left')
    }
  }

  return {
    id: FIXED_ENGINE_ID,
    prepare: async () => undefined,
    generate: (request) => withModel(request, (model, run) => generation(model, run, request)),
    async replay(request, claimed) {
      const { divergence } = await withModel(request, (model, run) =>
        comparison(model, run, request.stop ?? [], claimed),
      )
      return divergence
    },
    async close() {
      isClosed = true
      await queue.run(async () => {
        while (executions.size > 0) await once(changes, 'left')
        models.clear()
      })
    },
  }
}

/** A run, and what is done with its steps. */
type Plan<T> = {
  readonly run: RunRequest
  readonly use: (steps: AsyncIterable<TokenTrace>) => Promise<T>
}

function toRun(
  model: FixedModel,
  request: GenerateRequest,
  maxContext: number,
  chat: RenderedChat | undefined,
): RunRequest {
  const { tokenizer } = model
  const prompt =
    chat === undefined
      ? tokenizer.encode(request.prompt)
      : tokenizer.encodeChat(chat.text, chat.guard)
  const limit = Math.min(maxContext, model.weights.shape.contextLength)
  if (prompt.length >= limit)
    throw new InferenceError(
      'prompt-too-long',
      `the prompt has ${prompt.length} tokens, but model "${request.model.name}" accepts at most ${limit - 1} here`,
    )
  return {
    prompt,
    room: Math.min(request.maxTokens, limit - prompt.length),
    sampling: toSampling(request.temperature, request.topP, request.seed),
    signal: request.signal,
  }
}

/** The output of a run: what it chose, as text, up to a text that ends it. */
function createOutput(
  { tokenizer }: FixedModel,
  stop: readonly string[],
  onText: (text: string) => void = () => undefined,
) {
  const decoder = tokenizer.decoder()
  const filter = createStopFilter(stop)
  const made = { text: '', tokens: 0, finishReason: 'length' as Generation['finishReason'] }
  const emit = (text: string): void => {
    made.text += text
    if (text !== '') onText(text)
  }
  return {
    made,
    onChoice(token: number): boolean {
      if (!tokenizer.isEnd(token)) {
        made.tokens++
        emit(filter.push(decoder.push(token)))
        if (!filter.hasEnded) return false
      }
      made.finishReason = 'stop'
      return true
    },
    end(): void {
      emit(filter.push(decoder.end()))
      emit(filter.end())
      if (filter.hasEnded) made.finishReason = 'stop'
    },
  }
}

function generation(
  model: FixedModel,
  request: RunRequest,
  { stop = [], onText }: GenerateRequest,
): Plan<Omit<Generation, 'form'>> {
  const { made, onChoice, end } = createOutput(model, stop, onText)
  return {
    run: { ...request, onChoice },
    async use(steps) {
      const trace: TokenTrace[] = []
      for await (const step of steps) trace.push(step)
      end()
      const { text: output, tokens, finishReason } = made
      const commitment = {
        version: COMMITMENT_VERSION,
        modelRoot: toHex(model.root),
        traceRoot: toHex(traceRoot(trace)),
        trace,
      }
      return { output, tokens, promptTokens: request.prompt.length, finishReason, commitment }
    },
  }
}

function comparison(
  model: FixedModel,
  request: RunRequest,
  stop: readonly string[],
  claimed: Trace,
): Plan<{ readonly divergence: Divergence | undefined }> {
  const { onChoice } = createOutput(model, stop)
  return {
    run: { ...request, onChoice },
    use: async (steps) => ({ divergence: await firstDifference(steps, claimed) }),
  }
}

async function firstDifference(
  steps: AsyncIterable<TokenTrace>,
  claimed: Trace,
): Promise<Divergence | undefined> {
  let position = 0
  for await (const step of steps) {
    const other = claimed[position]
    if (other === undefined) return { position, step: 'end' }
    const difference = compareTokens(step, other)
    if (difference !== undefined) return difference
    position++
  }
  return claimed.length > position ? { position, step: 'end' } : undefined
}
