/** What the store and its writer thread tell each other, by structured clone. */

/** What the thread needs to open the store. */
export type WriterData = {
  /** Folder of the store. */
  readonly folder: string
}

/** A file that is replaced as a whole once the writes are on disk. */
export type Replacement = { readonly file: string; readonly content: string }

/** One transaction. */
export type WriteRequest = {
  /** Names of tables, by the numbers in `batch`. */
  readonly tables: readonly string[]
  /** kvBatch.ts. */
  readonly batch: Uint8Array<ArrayBuffer>
  readonly thenReplace: Replacement | undefined
}

/** `done` once everything is on disk; otherwise why it is not known what is. */
export type WriteAnswer =
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly reason: string }

/** What the thread says when it has loaded. */
export const READY = 'ready'
