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

const isBefore = (a: Sleeper, b: Sleeper): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)

/** Who sleeps, as a binary heap: a hundred nodes are thousands of sleepers. */
function createSleepers() {
  const heap: Sleeper[] = []

  function swap(a: number, b: number): void {
    const sleeper = heap[a] as Sleeper
    heap[a] = heap[b] as Sleeper
    heap[b] = sleeper
  }

  const comesFirst = (a: number, b: number): boolean =>
    isBefore(heap[a] as Sleeper, heap[b] as Sleeper)

  function sink(): void {
    for (let at = 0; ;) {
      let first = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && comesFirst(child, first)) first = child
      if (first === at) return
      swap(at, first)
      at = first
    }
  }

  return {
    add(sleeper: Sleeper): void {
      heap.push(sleeper)
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1
        if (!comesFirst(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    /** Takes out who wakes first. */
    next(): Sleeper | undefined {
      const [first] = heap
      const last = heap.pop()
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last
        sink()
      }
      return first
    },
  }
}

/** A clock at 0. */
export function createScheduler(): Scheduler {
  const sleepers = createSleepers()
  let time = 0
  let order = 0
  const work = { underWay: 0 }

  return {
    now: () => time,
    sleep: (ms) =>
      new Promise((resolve) => {
        sleepers.add({ at: time + ms, order: order++, wake: resolve })
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
        const sleeper = sleepers.next()
        if (sleeper === undefined) return
        time = sleeper.at
        sleeper.wake()
      }
    },
  }
}
