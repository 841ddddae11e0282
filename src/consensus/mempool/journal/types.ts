/** The pool's journal as the pool sees it (D64). */

/** A pooled transaction, as far as the journal is concerned. */
export type JournalEntry = {
  readonly transaction: { readonly raw: Uint8Array }
  /** Belongs to the journal: 0 for a transaction that is not in it. */
  journalNumber: number
}

/** What the journal needs of the pool. */
export type JournalledPool = {
  /** Every pooled transaction. */
  entries(): Iterable<JournalEntry>
  /** Drops a transaction that could not be written. */
  drop(entry: JournalEntry): void
}

export type PoolJournal = {
  /** Connects the pool. To be called once, before anything else. */
  attach(pool: JournalledPool): void
  /** Throws PoolRejection when there is no room for a transaction of these bytes. */
  requireRoom(raw: Uint8Array): void
  /** Records a transaction that was added. It is written with the group of others that someone waits for first. */
  record(entry: JournalEntry): void
  /**
   * A transaction left the pool. Its removal is written soon, or with the next group where a start would drop it anyway:
   * because it was mined.
   */
  forget(entry: JournalEntry, isMined: boolean): void
  /** All transactions left the pool. */
  clear(): void
  /**
   * Resolves when the transaction is on disk; undefined when it is, or is not in the journal. Rejects with
   * PoolRejection when the disk is full: then it is dropped.
   */
  kept(entry: JournalEntry): Promise<void> | undefined
  /** Resolves when everything recorded, forgotten and cleared is on disk. Rejects with PoolRejection. */
  settled(): Promise<void>
}

/** For a pool without a journal. */
export const NO_JOURNAL: PoolJournal = {
  attach: () => undefined,
  requireRoom: () => undefined,
  record: () => undefined,
  forget: () => undefined,
  clear: () => undefined,
  kept: () => undefined,
  settled: () => Promise.resolve(),
}
