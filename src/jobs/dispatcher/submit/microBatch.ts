/**
 * Group commit: calls that arrive while the database is busy share the next statement and its single wait for the disk.
 */

/** One call's share of a batch: what it resolves with, or rejects with. */
export type Outcome<R> = { readonly value: R } | { readonly error: Error }

/**
 * Turns a function of many items into a function of one item that batches its calls. At most `parallel` batches of at
 * most `limit` items run concurrently. A lone call does not wait; while a batch is running, another one starts only
 * when `enough` items are waiting: many small batches cost more than the wait. `run` returns results in the order of
 * its items; when it rejects, all of their calls reject.
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
