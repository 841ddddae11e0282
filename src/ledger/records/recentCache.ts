/** A small cache of what was made from the records of recent heights. Committed blocks never change. */

export type RecentCache<T> = {
  /** The value of a height, made when it is not at hand. undefined is not kept: the block may come yet. */
  get(height: number, make: () => T | undefined): T | undefined
  /** Drops everything: blocks were taken back. */
  forget(): void
}

/** Keeps the last `capacity` values that were asked for. */
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
