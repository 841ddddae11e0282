/** Runs tasks one after the other, in the order in which they were added. */
export type SerialQueue = {
  /** Settles as the task does. A failed task does not stop those queued behind it. */
  run<T>(task: () => Promise<T>): Promise<T>
}

/** An empty queue. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      const result = last.then(task)
      last = result.catch(() => undefined)
      return result
    },
  }
}
