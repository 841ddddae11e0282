/**
 * What CometBFT's application mempool gossips next (D99): it polls the application (ABCI `ReapTxs`) and sends what it gets to
 * all its peers, whose applications take it (`InsertTx`) and offer it to theirs.
 */
import { toHexDigits } from '../../base/hex.ts'

/** Maximum number of bytes per poll; the rest waits for the next one, which is milliseconds away. */
const MAX_REAP_BYTES = 4_194_304

export type Offers = {
  /** Has it gossiped with one of the next polls. Does nothing for what is queued already. */
  send(hash: Uint8Array, raw: Uint8Array): void
  /** The next transactions that the pool still holds, at most `maxBytes` of them (0 for no limit), each of them once. */
  reap(maxBytes: number): readonly Uint8Array[]
}

/** `isWanted` tells whether the pool still holds a transaction; at most `limit` are queued, and the oldest give way. */
export function createOffers(isWanted: (hash: Uint8Array) => boolean, limit: number): Offers {
  const queued = new Map<string, { readonly hash: Uint8Array; readonly raw: Uint8Array }>()
  return {
    send(hash, raw) {
      const name = toHexDigits(hash)
      if (queued.has(name)) return
      queued.set(name, { hash, raw })
      const [oldest] = queued.keys()
      if (queued.size > limit && oldest !== undefined) queued.delete(oldest)
    },
    reap(maxBytes) {
      const limitBytes = maxBytes === 0 ? MAX_REAP_BYTES : Math.min(maxBytes, MAX_REAP_BYTES)
      const reaped: Uint8Array[] = []
      let bytes = 0
      for (const [name, { hash, raw }] of queued) {
        if (isWanted(hash)) {
          if (bytes + raw.length > limitBytes) break
          bytes += raw.length
          reaped.push(raw)
        }
        queued.delete(name)
      }
      return reaped
    },
  }
}
