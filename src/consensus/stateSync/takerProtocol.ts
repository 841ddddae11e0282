/** The protocol between the node and the thread that takes snapshots, by structured clone. */

/** What the thread needs to open the store. */
export type TakerData = {
  /** Folder of the chain's store. */
  readonly store: string
  /** Folder of the snapshots. */
  readonly snapshots: string
  readonly genesisHash: Uint8Array
}

/** Asks for the snapshot of a committed height. */
export type TakeRequest = { readonly height: number }

export type Taken = {
  readonly chunks: number
  readonly bytes: number
}

export type TakeAnswer =
  | { readonly type: 'taken'; readonly taken: Taken }
  | { readonly type: 'failed'; readonly reason: string }

/** Message of the thread when it has loaded. */
export const READY = 'ready'
