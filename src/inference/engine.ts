/**
 * The interface of inference engines. Engines differ in speed and in how far their arithmetic is reproducible; jobs see
 * only this interface.
 */
import type { Hex } from '../base/hex.ts'
import type { ChatMessage } from './chat/messages.ts'
import type { Trace } from './fixed/trace.ts'
import type { ModelFile } from './models.ts'

/** One generation. `seed` feeds the sampler (0 to 2^64 - 1); it is ignored at temperature 0. */
export type GenerateRequest = {
  readonly model: ModelFile
  readonly prompt: string
  /** A conversation instead of the prompt, which else is its only message, for models with a chat template (D57). */
  readonly messages?: readonly ChatMessage[]
  /** Whether the model reads the prompt as it is, even if it has a chat template. */
  readonly raw?: boolean
  /** When the job was submitted, in seconds since 1970: the time that a chat template sees. */
  readonly createdAt?: number
  /** 0 always selects the likeliest token. */
  readonly temperature: number
  /** Nucleus sampling: above 0, at most 1. */
  readonly topP: number
  /** Maximum number of tokens, at least 1. The model's context may end a generation earlier. */
  readonly maxTokens: number
  readonly seed: bigint
  /** The output ends before the first of these texts; none is empty. */
  readonly stop?: readonly string[]
  readonly signal: AbortSignal
  /** Receives the text piece by piece as it is generated; the concatenated pieces are the output. */
  readonly onText?: (text: string) => void
}

/** How the tokens of a prompt were made, as statements say it. Absent: without a template, by a list that was not hashed. */
export type PromptForm = {
  readonly templateHash?: Hex
  readonly renderer?: string
  readonly tokenListHash?: Hex
}

/**
 * Result of a generation. `length`: the maximum number of tokens or the end of the context was reached; `stop`: the
 * model ended by itself, or wrote a text that ends an output. `tokens` counts those of that text, too.
 */
export type Generation = {
  readonly output: string
  readonly tokens: number
  /** Length of the prompt in tokens. */
  readonly promptTokens: number
  readonly finishReason: 'stop' | 'length'
  readonly form?: PromptForm
  /** Set by engines whose executions can be replayed step by step. */
  readonly commitment?: Commitment
}

/** Commitment of an execution: roots of SHA-256 trees over the model's weights, and over the steps of each token. */
export type Commitment = {
  /** What the leaves are made of; changes with the engine's id. */
  readonly version: number
  readonly modelRoot: Hex
  readonly traceRoot: Hex
  readonly trace: Trace
}

export type Engine = {
  /** Names implementation and version, at most 128 characters; part of every statement. */
  readonly id: string
  /** Loads what the first generation would otherwise wait for. Rejects with InferenceError `engine-unavailable`. */
  prepare(): Promise<void>
  /**
   * Begins generations in the order of the calls; how many go on at once is up to the engine, and nothing of a result depends on it.
   * Rejects with InferenceError, or with the signal's reason when it is aborted.
   */
  generate(request: GenerateRequest): Promise<Generation>
  /** Frees the models, after generations in progress have finished. */
  close(): Promise<void>
}
