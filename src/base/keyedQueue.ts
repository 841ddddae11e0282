/** Runs tasks of the same key one after the other; tasks of different keys do not wait for each other. */
export type KeyedQueue = {
  run<T>(key: string, task: () => Promise<T>): Promise<T>
}

/** An empty queue. A key is dropped as soon as no task waits for it. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async run(key, task) {
      const before = tails.get(key)
      const run = before === undefined ? task() : before.then(task, task)
      tails.set(key, run)
      try {
        return await run
      } finally {
        if (tails.get(key) === run) tails.delete(key)
      }
    },
  }
}
