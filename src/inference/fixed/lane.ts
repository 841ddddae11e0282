/** One of the executions of a batch: how far it is, and the steps that its consumer has not taken yet (D154). */
import type { Sampler, Sampling } from './sampler.ts'
import type { Sequence } from './session.ts'
import { MAX_BATCH } from './sessionPart.ts'
import type { StepHasher } from './stepHasher.ts'
import type { TokenTrace } from './trace.ts'

/** What to run. `prompt` has at least one token; `room` is the maximum number of following tokens, at least 1. */
export type RunRequest = {
  readonly prompt: readonly number[]
  readonly sampling: Sampling
  readonly room: number
  readonly signal: AbortSignal
  /** Tokens of the prompt that are evaluated together, 1 to MAX_BATCH. It affects only the speed. */
  readonly batch?: number
  /** Threads that compute, 1 by default, of the first of several executions. It affects only the speed. */
  readonly threads?: number
  /** Whether each layer is hashed; true by default. */
  readonly commit?: boolean
  /** Called with each token as soon as it is chosen; its step is yielded some tokens later. `true` makes it the last one. */
  readonly onChoice?: (token: number) => boolean
}

/** A token whose hashes are pending: one per layer, and then that of the logits. */
export type Pending = Pick<TokenTrace, 'position' | 'token'> & {
  readonly hashes: Uint8Array[]
  readonly isHashed: boolean
  chosen?: number
}

export type Lane = {
  readonly sequence: Sequence
  /** Whether its consumer waits for steps. */
  readonly isWanted: boolean
  /** Whether it has chosen its last token. */
  readonly isOver: boolean
  /** Tokens of the prompt that are left, but for the last. */
  readonly promptLeft: number
  /** The token that is evaluated next, after the prompt. */
  next(): number
  /** The next tokens of the prompt, at most `room`. */
  nextOfPrompt(room: number): readonly number[]
  /** Notes that a token is evaluated. */
  begin(token: number): Pending
  /** Chooses the token after the last one, from the logits at an address. */
  choose(logits: number, hasher: StepHasher): void
  /** Hands out the steps of all tokens, which have been hashed. */
  deliver(): void
  /** Fails if the signal is aborted. */
  checkSignal(): void
  fail(error: unknown): void
  /** The steps; `onWanted` is called whenever more are wanted. Throws what it failed with. */
  steps(onWanted: () => void): AsyncGenerator<TokenTrace>
}

/** Whether the next step of an execution chooses a token. */
export const isDecoding = ({ promptLeft }: Lane): boolean => promptLeft === 0

/** An execution that has not begun. `isEnd` says whether a token ends a generation. */
export function createLane(
  request: RunRequest,
  sequence: Sequence,
  sample: Sampler,
  isEnd: (token: number) => boolean,
): Lane {
  const { prompt, room, signal, batch = MAX_BATCH, commit = true, onChoice } = request
  let done = 0
  let position = 0
  let token = prompt.at(-1) as number
  let left = room
  let pending: Pending[] = []
  let ready: TokenTrace[] = []
  let isOver = false
  let failure: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined
  const settle = (): void => {
    wake?.()
    wake = undefined
  }
  const fail = (error: unknown): void => {
    failure ??= { error }
    settle()
  }
  const promptLeft = (): number => prompt.length - 1 - done

  return {
    sequence,
    get isWanted() {
      return wake !== undefined
    },
    get isOver() {
      return isOver
    },
    get promptLeft() {
      return promptLeft()
    },
    next: () => token,
    nextOfPrompt(most) {
      const some = prompt.slice(done, done + Math.min(most, batch, promptLeft()))
      done += some.length
      return some
    },
    begin(begun) {
      const step: Pending = { position, token: begun, hashes: [], isHashed: commit }
      pending.push(step)
      position++
      return step
    },
    choose(logits, hasher) {
      const step = pending.at(-1) as Pending
      if (commit) hasher.addLogits(step.position, logits, step.hashes)
      token = sample(logits, step.position)
      step.chosen = token
      left--
      try {
        isOver = [onChoice?.(token), left === 0, isEnd(token)].includes(true)
      } catch (error) {
        fail(error)
      }
    },
    deliver() {
      ready.push(...pending.map(toTrace))
      pending = []
      if (ready.length > 0) settle()
    },
    checkSignal() {
      if (signal.aborted) fail(signal.reason)
    },
    fail,
    async *steps(onWanted) {
      for (;;) {
        if (failure !== undefined) throw failure.error
        if (ready.length === 0 && isOver) return
        const some = ready
        ready = []
        yield* some
        if (isOver || failure !== undefined || ready.length > 0) continue
        const more = new Promise<void>((resolve) => {
          wake = resolve
        })
        onWanted()
        await more
      }
    },
  }
}

function toTrace({ position, token, hashes, chosen }: Pending): TokenTrace {
  if (chosen === undefined) return { position, token, layers: hashes }
  const logits = hashes.pop() ?? new Uint8Array(32)
  return { position, token, layers: hashes, choice: { logits, token: chosen } }
}
