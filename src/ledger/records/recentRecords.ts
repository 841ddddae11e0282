/** Records of recently read heights, as bytes. Committed blocks never change. */

export type RecentRecords = {
  /** The record of a height, read on a miss. undefined is not cached: the block may still arrive. */
  get(height: number): Uint8Array | undefined
  /** Drops everything: blocks were rolled back. */
  forget(): void
}

/** Keeps up to `capacity` bytes, and at least one record. */
export function createRecentRecords(
  capacity: number,
  read: (height: number) => Uint8Array | undefined,
): RecentRecords {
  const records = new Map<number, Uint8Array>()
  let size = 0
  return {
    forget() {
      records.clear()
      size = 0
    },
    get(height) {
      const known = records.get(height)
      if (known !== undefined) {
        records.delete(height)
        records.set(height, known)
        return known
      }
      const record = read(height)
      if (record === undefined) return undefined
      records.set(height, record)
      size += record.length
      for (const [oldest, { length }] of records) {
        if (size <= capacity || oldest === height) break
        records.delete(oldest)
        size -= length
      }
      return record
    },
  }
}
