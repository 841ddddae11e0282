/**
 * Inference by llama.cpp on the CPU. Everything known to affect its bits is fixed: one thread, one sequence, one batch
 * size, no flash attention, no context shift. On one class of processors the same request gives the same tokens.
 */
import { messageOf } from '../base/errors.ts'
import { createSerialQueue } from '../base/serialQueue.ts'
import { checkParameters } from './checkParameters.ts'
import { chatPrompt } from './chat/chatPrompt.ts'
import type { Engine, GenerateRequest, Generation } from './engine.ts'
import { InferenceError } from './errors.ts'
import {
  findLlamaRuntime,
  type Llama,
  type LlamaModel,
  type LlamaSequence,
} from './llamaRuntime.ts'
import { promptTokens, readLlamaChat, type LlamaChat } from './llamaChat.ts'
import type { ModelFile } from './models.ts'
import { createStopFilter } from './stopTexts.ts'

const BATCH_SIZE = 512
/** Templates that are kept. */
const MAX_CHATS = 16
/** Context sizes are multiples of this; llama.cpp pads to it anyway. */
const CONTEXT_STEP = 256

/** Options of `openLlamaEngine`. */
export type LlamaOptions = {
  /** Folder that holds the binding; the package's own runtime folder by default. */
  readonly runtimeFolder?: string
  /** Number of models that stay loaded, 2 by default. */
  readonly keepLoaded?: number
  /** Upper bound of a context in tokens, 8192 by default: the memory of a context grows with it. */
  readonly maxContext?: number
  /** Receives llama.cpp's own messages. */
  readonly report?: (message: string) => void
}

type Session = {
  readonly llama: Llama
  readonly models: Map<string, LlamaModel>
  /** Templates of the loaded models; undefined for those without. */
  readonly chats: Map<string, LlamaChat | undefined>
  /** Whether llama.cpp refused a file. */
  hasRefused: boolean
}

/** Opens the engine; llama.cpp itself is loaded by `prepare`, or at the first generation. Throws InferenceError `engine-unavailable`. */
export function openLlamaEngine(options: LlamaOptions = {}): Engine {
  const { keepLoaded = 2, maxContext = 8192, report = () => undefined } = options
  const runtime = findLlamaRuntime(options.runtimeFolder)
  const queue = createSerialQueue()
  let session: Promise<Session> | undefined
  let isClosed = false

  const open = (): Promise<Session> => {
    session ??= runtime
      .start(report)
      .then((llama) => ({ llama, models: new Map(), chats: new Map(), hasRefused: false }))
    session.catch(() => (session = undefined))
    return session
  }

  return {
    id: `llama.cpp/node-llama-cpp-${runtime.version}`,
    async prepare() {
      await open()
    },
    async generate(request) {
      checkParameters(request)
      return await queue.run(async () => {
        request.signal.throwIfAborted()
        if (isClosed) throw new InferenceError('engine-unavailable', 'the engine is closed')
        const opened = await open()
        const chat = request.raw === true ? undefined : await loadChat(opened, request.model)
        const { chat: rendered, form } = await chatPrompt(chat?.template, request)
        const model = await loadModel(opened, request.model, keepLoaded)
        const fragments = rendered === undefined ? undefined : chat?.fragments(rendered)
        const prompt = promptTokens(model, request.prompt, fragments)
        return { ...(await generate(model, prompt, request, maxContext)), form }
      })
    },
    async close() {
      isClosed = true
      await queue.run(async () => {
        const opened = await session?.catch(() => undefined)
        if (opened === undefined) return
        for (const model of opened.models.values()) await model.dispose()
        // The binding's guard counts a model that failed to load until it is garbage-collected, and then forever:
        // waiting for it may never end. The rest is freed when the process ends.
        if (!opened.hasRefused) await opened.llama.dispose()
      })
    },
  }
}

/** The loaded model; the least recently used one is evicted. A changed file has another hash, hence another entry. */
async function loadModel(
  session: Session,
  file: ModelFile,
  keepLoaded: number,
): Promise<LlamaModel> {
  const { llama, models } = session
  const loaded = models.get(file.sha256)
  if (loaded !== undefined) {
    models.delete(file.sha256)
    models.set(file.sha256, loaded)
    return loaded
  }
  const [oldest] = models
  if (oldest !== undefined && models.size >= keepLoaded) {
    models.delete(oldest[0])
    await oldest[1].dispose()
  }
  try {
    const model = await llama.loadModel({ modelPath: file.path, gpuLayers: 0 })
    models.set(file.sha256, model)
    return model
  } catch (error) {
    session.hasRefused = true
    throw new InferenceError(
      'unsupported-model',
      `llama.cpp cannot load model "${file.name}" (architecture ${file.header.architecture}): ${messageOf(error)}`,
      { cause: error },
    )
  }
}

/** The chat template of a model, read once. */
async function loadChat({ chats }: Session, file: ModelFile): Promise<LlamaChat | undefined> {
  if (!chats.has(file.sha256)) {
    const chat = await readLlamaChat(file)
    if (chats.size >= MAX_CHATS) chats.clear()
    chats.set(file.sha256, chat)
  }
  return chats.get(file.sha256)
}

async function generate(
  model: LlamaModel,
  prompt: readonly number[],
  request: GenerateRequest,
  maxContext: number,
): Promise<Generation> {
  const limit = Math.min(maxContext, model.trainContextSize)
  if (prompt.length >= limit)
    throw new InferenceError(
      'prompt-too-long',
      `the prompt has ${prompt.length} tokens, but model "${request.model.name}" accepts at most ${limit - 1} here`,
    )
  const room = Math.min(request.maxTokens, limit - prompt.length)
  const contextSize = Math.min(
    limit,
    Math.ceil((prompt.length + room) / CONTEXT_STEP) * CONTEXT_STEP,
  )
  try {
    const context = await model.createContext({
      contextSize,
      batchSize: BATCH_SIZE,
      threads: 1,
      sequences: 1,
      flashAttention: false,
    })
    try {
      return await sample(model, context.getSequence(), prompt, room, request)
    } finally {
      await context.dispose()
    }
  } catch (error) {
    request.signal.throwIfAborted()
    throw new InferenceError('engine-failed', `llama.cpp failed: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

async function sample(
  model: LlamaModel,
  sequence: LlamaSequence,
  prompt: readonly number[],
  room: number,
  { temperature, topP, seed, signal, stop = [], onText }: GenerateRequest,
): Promise<Generation> {
  const tokens: number[] = []
  const filter = createStopFilter(stop)
  let read = 0
  let output = ''
  const emit = (text: string): void => {
    output += text
    if (text !== '') onText?.(text)
  }
  const show = (text: string): void => {
    if (text.length > read) emit(filter.push(text.slice(read)))
    read = Math.max(read, text.length)
  }
  let finishReason: Generation['finishReason'] = 'length'
  // If unset, topK and minP would take the binding's defaults, and the seed the current time.
  const options = {
    temperature,
    topP,
    topK: 0,
    minP: 0,
    // The binding takes 32 bits.
    seed: Number(BigInt.asUintN(32, seed)),
    yieldEogToken: true,
  }
  for await (const token of sequence.evaluate(prompt, options)) {
    signal.throwIfAborted()
    if (model.isEogToken(token)) {
      finishReason = 'stop'
      break
    }
    tokens.push(token)
    // An incomplete character decodes to U+FFFD until its last byte arrives.
    if (onText !== undefined || stop.length > 0)
      show(model.detokenize(tokens, false, prompt).replace(/\uFFFD+$/u, ''))
    if (filter.hasEnded || tokens.length >= room) break
  }
  show(model.detokenize(tokens, false, prompt))
  emit(filter.end())
  if (filter.hasEnded) finishReason = 'stop'
  return {
    output,
    tokens: tokens.length,
    promptTokens: prompt.length,
    finishReason,
  }
}
