/** What runs a model. Engines differ in speed and in how far their arithmetic can be repeated; jobs see only this shape. */
import type { Hex } from '../base/hex.ts'
import type { Trace } from './fixed/trace.ts'
import type { ModelFile } from './models.ts'

/** One generation. `seed` feeds the sampler (0 to 2^32 - 1); it is ignored at temperature 0. */
export type GenerateRequest = {
  readonly model: ModelFile
  readonly prompt: string
  /** 0 takes the likeliest token each time. */
  readonly temperature: number
  /** Nucleus sampling: above 0, at most 1. */
  readonly topP: number
  /** Tokens at most, 1 or more. The model's context may end a generation earlier. */
  readonly maxTokens: number
  readonly seed: number
  readonly signal: AbortSignal
  /** Gets the text piece by piece as it comes into being; together the pieces are the output. */
  readonly onText?: (text: string) => void
}

/** What came out. `length`: the limit of tokens or the context was reached; `stop`: the model ended by itself. */
export type Generation = {
  readonly output: string
  readonly tokens: number
  readonly finishReason: 'stop' | 'length'
  /** Of an engine whose executions can be repeated step by step. */
  readonly commitment?: Commitment
}

/** What an execution commits to: roots of SHA-256 trees over the model's weights, and over the steps of each token. */
export type Commitment = {
  readonly modelRoot: Hex
  readonly traceRoot: Hex
  readonly trace: Trace
}

export type Engine = {
  /** Names implementation and version, at most 128 characters; part of every statement. */
  readonly id: string
  /** Loads what the first generation would wait for. Rejects with InferenceError `engine-unavailable`. */
  prepare(): Promise<void>
  /**
   * Runs one generation at a time; further calls wait in order. Rejects with InferenceError, or with the signal's reason
   * when it is aborted.
   */
  generate(request: GenerateRequest): Promise<Generation>
  /** Frees the models. Generations under way end first. */
  close(): Promise<void>
}
