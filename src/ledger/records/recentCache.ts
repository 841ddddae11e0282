/** A small cache of values computed from the records of recent heights. Committed blocks never change. */

export type RecentCache<T> = {
  /** The value of a height, computed on a miss. undefined is not cached: the block may still arrive. */
  get(height: number, make: () => T | undefined): T | undefined
  /** Drops everything: blocks were rolled back. */
  forget(): void
}

/** Keeps the `capacity` most recently used values. */
export function createRecentCache<T>(capacity: number): RecentCache<T> {
  const values = new Map<number, T>()
  return {
    forget: () => values.clear(),
    get(height, make) {
      let value = values.get(height)
      if (value === undefined) value = make()
      else values.delete(height)
      if (value === undefined) return undefined
      values.set(height, value)
      for (const oldest of values.keys()) {
        if (values.size <= capacity) break
        values.delete(oldest)
      }
      return value
    },
  }
}
