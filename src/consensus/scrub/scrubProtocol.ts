/** The protocol between the node and the thread that scrubs its store, by structured clone. */

/** What the thread needs to open the store. */
export type ScrubData = {
  /** Folder of the chain's store. */
  readonly store: string
  /** The chain's EIP-155 id, and its id in signatures. */
  readonly chainId: bigint
  readonly chainName: string
  /** Milliseconds from the start of one pass to that of the next. */
  readonly interval: number
}

/** To the thread: the node makes blocks with transactions now, and needs the machine. */
export const BUSY = 'busy'

/** From the thread, after each part of a pass. */
export type ScrubMessage =
  | {
      readonly type: 'progress'
      /** Number of pages and blocks verified since the start of the node. */
      readonly pages: number
      readonly blocks: number
    }
  /** A whole pass is over; milliseconds. */
  | { readonly type: 'passed'; readonly duration: number }
  /** Sentences about what is damaged. */
  | { readonly type: 'damaged'; readonly faults: readonly string[] }
  /** Why this thread can't go on. */
  | { readonly type: 'failed'; readonly reason: string }
