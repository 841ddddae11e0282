/** Messages between the store and its writer thread, passed by structured clone. */

/** Input of the thread: how to open the store. */
export type WriterData = {
  /** Folder of the store. */
  readonly folder: string
}

/** A file that is replaced atomically once the writes are on disk. */
export type Replacement = { readonly file: string; readonly content: string }

/** One transaction. */
export type WriteRequest = {
  /** Names of tables, by the numbers in `batch`. */
  readonly tables: readonly string[]
  /** kvBatch.ts. */
  readonly batch: Uint8Array<ArrayBuffer>
  readonly thenReplace: Replacement | undefined
}

/** `done` once everything is on disk, with how long the synced transaction alone took; otherwise why the outcome is unknown. */
export type WriteAnswer =
  | { readonly type: 'done'; readonly seconds: number }
  | { readonly type: 'failed'; readonly reason: string }

/** Sent by the thread when it has loaded. */
export const READY = 'ready'
