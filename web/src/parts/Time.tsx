/** Times that stay true while they are looked at. */
import { useSyncExternalStore } from 'react'
import { ago, utc } from '../format/number.ts'

const TICK_MS = 1000

let now = Math.floor(Date.now() / 1000)
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

// One timer for all of them.
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Math.floor(Date.now() / 1000)
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Seconds since 1970, updated each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** How long ago a time (seconds since 1970) is; the time itself as its title. */
export function Ago({ seconds }: { readonly seconds: number }) {
  const current = useNow()
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={utc(seconds)}>
      {ago(current - seconds)}
    </time>
  )
}
