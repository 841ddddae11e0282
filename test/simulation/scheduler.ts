/** Virtual time: who sleeps wakes in an order that the seed decides, and nothing waits for a real clock. */
import { setImmediate as settle } from 'node:timers/promises'

export type Scheduler = {
  /** Milliseconds since the beginning. */
  now(): number
  sleep(ms: number): Promise<void>
  /** Something that takes real time, as files do: no virtual time passes meanwhile. */
  real<T>(result: Promise<T>): Promise<T>
  /** Lets time pass until `isOver`, asked before each awakening, or until nobody sleeps. */
  run(isOver: () => boolean): Promise<void>
}

type Sleeper = { readonly at: number; readonly order: number; readonly wake: () => void }

/** A clock at 0. */
export function createScheduler(): Scheduler {
  const sleepers: Sleeper[] = []
  let time = 0
  let order = 0
  const work = { underWay: 0 }

  function next(): Sleeper | undefined {
    let first = 0
    for (const [index, { at, order: place }] of sleepers.entries()) {
      const best = sleepers[first] as Sleeper
      if (at < best.at || (at === best.at && place < best.order)) first = index
    }
    return sleepers.splice(first, 1)[0]
  }

  return {
    now: () => time,
    sleep: (ms) =>
      new Promise((resolve) => {
        sleepers.push({ at: time + ms, order: order++, wake: resolve })
      }),
    async real(result) {
      work.underWay++
      try {
        return await result
      } finally {
        work.underWay--
      }
    },
    async run(isOver) {
      for (;;) {
        // Whatever the last awakening set off runs to where it sleeps again: nothing in here waits for anything else.
        do await settle()
        while (work.underWay > 0)
        if (isOver()) return
        const sleeper = next()
        if (sleeper === undefined) return
        time = sleeper.at
        sleeper.wake()
      }
    },
  }
}
