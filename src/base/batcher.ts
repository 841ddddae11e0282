/** Looks keys up together: while one lookup runs, further keys wait and go with the next (D133). */
export type Batcher<Key, Value> = {
  /** What was found, in a lookup that began after this call; undefined if nothing was. Rejects as the lookup does. */
  find(key: Key): Promise<Value | undefined>
}

type Waiting<Value> = {
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/** A batcher whose lookups have at most `most` different keys. */
export function createBatcher<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  most: number,
): Batcher<Key, Value> {
  const waiting = new Map<Key, Waiting<Value>[]>()
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, most)
      for (const [key] of batch) waiting.delete(key)
      try {
        const found = await load(batch.map(([key]) => key))
        for (const [key, all] of batch) for (const { resolve } of all) resolve(found.get(key))
      } catch (error) {
        for (const [, all] of batch) for (const { reject } of all) reject(error)
      }
    }
    isRunning = false
  }
  return {
    find: (key) =>
      new Promise((resolve, reject) => {
        const all = waiting.get(key) ?? []
        all.push({ resolve, reject })
        waiting.set(key, all)
        if (!isRunning) void run()
      }),
  }
}
