/** An answer that a part of the page waits for. */
import { useEffect, useEffectEvent, useState } from 'react'

export type Answer<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'here'; readonly value: T }

const WAITING = { state: 'waiting' } as const

/**
 * The result of `ask`, requested again whenever one of the keys changes, and every `everyMs` when given. During a new
 * request for the same keys, the last answer is kept.
 */
export function useAnswer<T>(
  ask: () => Promise<T>,
  keys: readonly unknown[],
  everyMs?: number,
): Answer<T> {
  const [held, hold] = useState<{ readonly key: string; readonly answer: Answer<T> }>()
  const key = JSON.stringify(keys, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

  // A new function at every render; the keys tell when it asks something else.
  const askNow = useEffectEvent(ask)

  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = (): void => {
      if (document.hidden && everyMs !== undefined) {
        timer = setTimeout(run, everyMs)
        return
      }
      askNow()
        .then(
          (value): Answer<T> => ({ state: 'here', value }),
          (error: unknown): Answer<T> => ({
            state: 'failed',
            error: error instanceof Error ? error : new Error(String(error)),
          }),
        )
        .then((answer) => {
          if (!isCurrent) return
          hold({ key, answer })
          if (everyMs !== undefined) timer = setTimeout(run, everyMs)
        })
        .catch(() => undefined)
    }
    run()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [key, everyMs])

  return held?.key === key ? held.answer : WAITING
}

/** The same answer, but the one before it while the next is awaited: for what grows while it is read. */
export function useLastAnswer<T>(answer: Answer<T>): Answer<T> {
  const [last, keep] = useState(answer)
  if (answer.state !== 'waiting' && answer !== last) keep(answer)
  return answer.state === 'waiting' ? last : answer
}
