/** One execution: a prompt, then tokens that are sampled one by one. */
import { setImmediate } from 'node:timers/promises'
import type { FixedModel } from './model.ts'
import { createSampler, type Sampling } from './sampler.ts'
import { openModelThreads } from './rowThreads.ts'
import { openSession, type LayerObserver, type Session } from './session.ts'
import { MAX_BATCH } from './sessionPart.ts'
import { createModelHasher } from './modelHasher.ts'
import type { TokenTrace } from './trace.ts'

/** What to run. `prompt` has at least one token; `room` is the maximum number of following tokens, at least 1. */
export type RunRequest = {
  readonly prompt: readonly number[]
  readonly sampling: Sampling
  readonly room: number
  readonly signal: AbortSignal
  /** Tokens of the prompt that are evaluated together, 1 to MAX_BATCH. It affects only the speed. */
  readonly batch?: number
  /** Threads that compute, 1 by default. It affects only the speed. */
  readonly threads?: number
  /** Whether each layer is hashed; true by default. */
  readonly commit?: boolean
  /** Called with each token as soon as it is chosen; its step is yielded some tokens later. `true` makes it the last one. */
  readonly onChoice?: (token: number) => boolean
}

/** Number of tokens whose steps are hashed together, at least as many as are evaluated together. */
export const HASH_BATCH = MAX_BATCH

/** A token whose hashes are pending: one per layer, and then that of the logits. */
type Pending = Pick<TokenTrace, 'position' | 'token'> & {
  readonly hashes: Uint8Array[]
  chosen?: number
}

/**
 * Yields the steps of each token, and for the last of the prompt and those after it the token that was chosen next. The last one
 * yielded chose an end token, or filled the room. Yields to other work between tokens. Throws the signal's reason.
 */
export async function* run(model: FixedModel, request: RunRequest): AsyncGenerator<TokenTrace> {
  const { weights, tokenizer, rope } = model
  const { kernels, shape } = weights
  const { prompt, room, signal, batch = MAX_BATCH, commit = true, onChoice } = request
  const threads = openModelThreads(weights, request.threads ?? 1)
  let session: Session | undefined
  try {
    const opened = openSession(weights, rope, prompt.length + room, threads)
    session = opened
    const hasher = createModelHasher(weights, opened.stepSizes, commit ? HASH_BATCH : 0)
    const sample = createSampler(kernels, shape.vocabulary, request.sampling)
    const waiting: Pending[] = []
    const evaluate = (tokens: readonly number[]): void => {
      const first = opened.position()
      const pending = tokens.map((token, i): Pending => ({
        position: first + i,
        token,
        hashes: [],
      }))
      waiting.push(...pending)
      const observe: LayerObserver = (position, layer, residual, entry) =>
        hasher.addLayer(position, layer, residual, entry, pending[position - first]?.hashes ?? [])
      opened.append(tokens, commit ? observe : undefined)
    }
    const choose = (): number => {
      const address = opened.logits()
      const pending = waiting.at(-1) as Pending
      const { position } = pending
      if (commit) hasher.addLogits(position, address, pending.hashes)
      const token = sample(address, position)
      pending.chosen = token
      return token
    }
    const takeHashed = (): readonly TokenTrace[] => {
      hasher.flush()
      return waiting.splice(0).map(toTrace)
    }

    for (let done = 0; done < prompt.length - 1; done += batch) {
      evaluate(prompt.slice(done, Math.min(done + batch, prompt.length - 1)))
      yield* takeHashed()
      await setImmediate()
      signal.throwIfAborted()
    }
    let token = prompt.at(-1) as number
    for (let left = room; left > 0; left--) {
      evaluate([token])
      token = choose()
      const isLast = [onChoice?.(token), left === 1, tokenizer.isEnd(token)].includes(true)
      if (isLast || waiting.length === HASH_BATCH) yield* takeHashed()
      if (isLast) return
      await setImmediate()
      signal.throwIfAborted()
    }
  } finally {
    session?.close()
    await threads?.close()
  }
}

function toTrace({ position, token, hashes, chosen }: Pending): TokenTrace {
  if (chosen === undefined) return { position, token, layers: hashes }
  const logits = hashes.pop() ?? new Uint8Array(32)
  return { position, token, layers: hashes, choice: { logits, token: chosen } }
}
