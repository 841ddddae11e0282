/** Recurring work: runs soon after a request, and otherwise at an interval. */
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'

export type Loop = {
  /** Requests a run as soon as the current one is over. Concurrent requests share one run. */
  wake(): void
  /** Resolves when the last run is over. */
  stop(): Promise<void>
}

/** Minimum time between the starts of two runs under constant requests: those in between share the next run. */
const APART_MS = 5

/** Starts a loop. A run that fails is logged and retried at the next interval. */
export function startLoop(
  name: string,
  intervalMs: number,
  log: Log,
  work: () => Promise<void>,
): Loop {
  const stopping = new AbortController()
  let isAsked = false
  let sleeper: (() => void) | undefined

  const finished = run()
  return {
    wake() {
      isAsked = true
      sleeper?.()
    },
    stop() {
      stopping.abort()
      sleeper?.()
      return finished
    },
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isAsked = false
      const next = performance.now() + APART_MS
      try {
        await work()
      } catch (error) {
        log.warn({ loop: name, err: messageOf(error) }, 'a run failed')
        isAsked = false
      }
      if (!isAsked && !stopping.signal.aborted) await sleep()
      const early = next - performance.now()
      if (early > 0 && !stopping.signal.aborted) await delay(early)
    }
  }

  function sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, intervalMs)
      sleeper = end
      function end(): void {
        clearTimeout(timer)
        sleeper = undefined
        resolve()
      }
    })
  }
}
