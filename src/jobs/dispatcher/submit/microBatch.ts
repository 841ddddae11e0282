/** Group commit: calls that come while the database is busy share the next statement and its one wait for the disk. */

/** One call's share of a batch: what it resolves with, or rejects with. */
export type Outcome<R> = { readonly value: R } | { readonly error: Error }

/**
 * A function of one item over a function of many. At most `parallel` batches of at most `limit` items run at once. A lone call
 * does not wait; beside a batch that runs, another one begins when `enough` items are there: many small ones cost more than
 * the wait. `run` answers in the order of its items; when it rejects, so do all of them.
 */
export function microBatch<T, R>(
  run: (items: readonly T[]) => Promise<readonly Outcome<R>[]>,
  {
    limit,
    parallel,
    enough,
  }: { readonly limit: number; readonly parallel: number; readonly enough: number },
): (item: T) => Promise<R> {
  type Waiting = {
    readonly item: T
    readonly resolve: (value: R) => void
    readonly reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  let running = 0

  function begin(): void {
    while (running < parallel && waiting.length >= (running === 0 ? 1 : enough)) {
      const batch = waiting.slice(0, limit)
      waiting = waiting.slice(limit)
      void work(batch)
    }
  }

  async function work(batch: readonly Waiting[]): Promise<void> {
    running++
    try {
      const outcomes = await run(batch.map(({ item }) => item))
      for (const [at, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[at]
        if (outcome !== undefined && 'value' in outcome) resolve(outcome.value)
        else reject(outcome?.error ?? new Error('a batch left out one of its items'))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    running--
    begin()
  }

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      begin()
    })
}
