/** One execution: a prompt, then tokens that are chosen one by one. */
import { setImmediate } from 'node:timers/promises'
import type { FixedModel } from './model.ts'
import { TAG } from './merkle.ts'
import { createSampler, type Sampling } from './sampler.ts'
import { MAX_BATCH, openSession, type LayerObserver } from './session.ts'
import { createStepHasher, type TokenTrace } from './trace.ts'

/** What to run. `prompt` has one token at least; `room` is the number of tokens that may follow, 1 or more. */
export type RunRequest = {
  readonly prompt: readonly number[]
  readonly sampling: Sampling
  readonly room: number
  readonly signal: AbortSignal
  /** Tokens of the prompt that are evaluated together, 1 to MAX_BATCH. It changes the speed only. */
  readonly batch?: number
  /** Whether each layer is hashed; true unless given. */
  readonly commit?: boolean
}

/**
 * Yields each token once its layers are computed, and for the last of the prompt and those after it the token that was chosen
 * next. The last one yielded chose an end token, or filled the room. Other work gets its turn between tokens. Throws the reason
 * of the signal.
 */
export async function* run(model: FixedModel, request: RunRequest): AsyncGenerator<TokenTrace> {
  const { weights, tokenizer, rope } = model
  const { kernels, shape } = weights
  const { prompt, room, signal, batch = MAX_BATCH, commit = true } = request
  const session = openSession(weights, rope, prompt.length + room)
  try {
    const hashLayer = createStepHasher(TAG.layer)
    const hashLogits = createStepHasher(TAG.logits)
    const sample = createSampler(kernels, shape.vocabulary, request.sampling)
    const evaluate = (tokens: readonly number[]): readonly TokenTrace[] => {
      const traces = tokens.map((token, i) => ({
        position: session.position() + i,
        token,
        layers: [] as Uint8Array[],
      }))
      const first = session.position()
      const observe: LayerObserver = (position, layer, residual, entry) =>
        traces[position - first]?.layers.push(hashLayer(position, layer, residual, entry))
      session.append(tokens, commit ? observe : undefined)
      return traces
    }
    const choose = (trace: TokenTrace): TokenTrace & Required<Pick<TokenTrace, 'choice'>> => {
      const address = session.logits()
      const bytes = kernels.bytes().subarray(address, address + shape.vocabulary * 8)
      const logits = commit ? hashLogits(trace.position, 0, bytes) : new Uint8Array(32)
      return { ...trace, choice: { logits, token: sample(address, trace.position) } }
    }

    for (let done = 0; done < prompt.length - 1; done += batch) {
      yield* evaluate(prompt.slice(done, Math.min(done + batch, prompt.length - 1)))
      await setImmediate()
      signal.throwIfAborted()
    }
    let token = prompt.at(-1) as number
    for (let left = room; left > 0; left--) {
      const [trace] = evaluate([token])
      const chosen = choose(trace as TokenTrace)
      yield chosen
      token = chosen.choice.token
      if (tokenizer.isEnd(token)) return
      await setImmediate()
      signal.throwIfAborted()
    }
  } finally {
    session.close()
  }
}
