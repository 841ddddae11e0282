/** Waits for the answer of a job (D139). */
import { ApiError } from '../apiError.ts'
import type { Handouts } from '../handouts.ts'
import { isFinished } from '../lifecycle/states.ts'
import type { Progress, ProgressEvent } from '../progress.ts'
import type { BundleSource } from '../receipts/bundle.ts'
import { pickAnswer, readAnswers, type RecordedAnswer } from './answers.ts'

export type FollowContext = {
  readonly receipts: BundleSource
  readonly progress: Progress
  readonly handouts: Handouts
}

export type Followed = {
  readonly id: string
  readonly project: string
  readonly signal: AbortSignal
  /** Shows text that is not recorded yet. Absent where only the answer counts. */
  readonly onText?: (text: string) => void
}

/** Says why there is none, as an error within the stream or instead of it. */
function failureOf({ event, data }: ProgressEvent): ApiError {
  const reason = typeof data['reason'] === 'string' ? data['reason'] : ''
  if (event === 'expired') return new ApiError(504, reason)
  if (event === 'cancelled') return new ApiError(409, reason)
  return new ApiError(502, reason)
}

/** What an operator began to say was not what was recorded. */
function differs(): ApiError {
  const message =
    'the recorded answer differs from the text that was shown before: none of that text is proven'
  return new ApiError(502, message, { reason: 'answer_differs' })
}

/**
 * Resolves with a recorded answer that begins with all text that was shown. Rejects with ApiError where there is none (502, 504), or
 * with the signal's reason.
 */
export function followJob(
  { receipts, progress, handouts }: FollowContext,
  { id, project, signal, onText }: Followed,
): Promise<RecordedAnswer> {
  return new Promise((resolve, reject) => {
    let shown = ''
    let end: ProgressEvent | undefined
    let looking: Promise<void> = Promise.resolve()

    const show = (): void => {
      const { text, isTorn } = handouts.spoken(id)
      if (onText === undefined || isTorn || !text.startsWith(shown)) return
      const more = text.slice(shown.length)
      shown = text
      if (more !== '') onText(more)
    }
    const look = async (): Promise<void> => {
      const answer = pickAnswer(await readAnswers(receipts, project, id), shown, end !== undefined)
      if (answer !== undefined) settle(() => resolve(answer))
      else if (end !== undefined)
        settle(() =>
          reject(end?.event === 'completed' ? differs() : failureOf(end as ProgressEvent)),
        )
    }
    const lookSoon = (): void => {
      looking = looking.then(look).catch((error: unknown) => settle(() => reject(error)))
    }
    const stopText = handouts.watch(id, show)
    const stopEvents = progress.watch({
      job: id,
      send(event) {
        if (isEnd(event)) end = event
        if (end !== undefined || event.event === 'draw') lookSoon()
      },
      end() {
        if (end === undefined)
          settle(() => reject(new ApiError(503, 'the dispatcher stops', { retryAfter: 1 })))
      },
    })
    const onAbort = (): void => settle(() => reject(signal.reason as Error))
    let isSettled = false
    function settle(how: () => void): void {
      if (isSettled) return
      isSettled = true
      stopText()
      stopEvents()
      signal.removeEventListener('abort', onAbort)
      how()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    else show()
  })
}

function isEnd({ event }: ProgressEvent): boolean {
  return event !== 'draw' && isFinished(event)
}
