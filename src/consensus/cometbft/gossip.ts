/** Passes transactions of the application's pool to CometBFT, whose network gossips them to every other node (D96). */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import { toHexDigits } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import { MAX_BATCH_BYTES, type CometRpcClient } from './rpc.ts'

/** Delay between attempts to reach a CometBFT that does not answer or whose pool is full. */
const RETRY_MS = 500
/** Maximum number of batches in flight. */
const PARALLEL = 4

/** It already has this transaction, which is all we want. */
const ALREADY_THERE = 'tx already exists in cache'

export type Gossip = {
  /** Passes it on in the background; it is retried until CometBFT has it, or the pool no longer does. */
  send(hash: Uint8Array, raw: Uint8Array): void
}

type Parcel = {
  /** The hash as hex digits. */
  readonly id: string
  readonly hash: Uint8Array
  readonly raw: Uint8Array
}

export type GossipOptions = {
  readonly client: Pick<CometRpcClient, 'broadcast'>
  /** Whether the pool still holds a transaction. */
  readonly isWanted: (hash: Uint8Array) => boolean
  /** Maximum number of transactions in a batch. */
  readonly batchLimit: number
  readonly log: Log
  readonly signal: AbortSignal
  /** Resolves after some milliseconds, rejects when the node stops; a simulation has a time of its own. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
}

/** How many of these go into one batch: at least one, and no more bytes than CometBFT takes. */
function batchLength(parcels: readonly Parcel[], limit: number): number {
  let bytes = 0
  for (const [index, { raw }] of parcels.entries()) {
    bytes += raw.length
    if (index === limit || (index > 0 && bytes > MAX_BATCH_BYTES)) return index
  }
  return parcels.length
}

/** Gossip that ends with the signal. */
export function createGossip(options: GossipOptions): Gossip {
  const { client, isWanted, batchLimit, log, signal } = options
  const wait =
    options.wait ?? ((milliseconds: number) => sleep(milliseconds, undefined, { signal }))
  const waiting: Parcel[] = []
  /** The transactions that wait or are under way: a CometBFT that comes back is sent all of the pool. */
  const known = new Set<string>()
  let underWay = 0
  let isRetrying = false

  function retryLater(parcels: readonly Parcel[], reason: string): void {
    log.warn({ transactions: parcels.length, reason }, 'CometBFT is not accepting transactions yet')
    waiting.unshift(...parcels)
    if (isRetrying) return
    isRetrying = true
    void wait(RETRY_MS)
      .then(() => {
        isRetrying = false
        pump()
      })
      .catch(() => undefined)
  }

  async function deliver(parcels: readonly Parcel[]): Promise<void> {
    let answers: readonly (string | undefined)[]
    try {
      answers = await client.broadcast(parcels.map(({ raw }) => raw))
    } catch (error) {
      if (!signal.aborted) retryLater(parcels, messageOf(error))
      return
    }
    const failed = parcels.filter(({ id }, index) => {
      const reason = answers[index]
      const isFailed = reason !== undefined && !reason.includes(ALREADY_THERE)
      if (!isFailed) known.delete(id)
      return isFailed
    })
    const reason = answers.find((each) => each !== undefined && !each.includes(ALREADY_THERE)) ?? ''
    if (failed.length > 0) retryLater(failed, reason)
  }

  function keepWanted({ id, hash }: Parcel): boolean {
    const isKept = isWanted(hash)
    if (!isKept) known.delete(id)
    return isKept
  }

  function pump(): void {
    if (isRetrying) return
    while (underWay < PARALLEL && waiting.length > 0) {
      const parcels = waiting.splice(0, batchLength(waiting, batchLimit)).filter(keepWanted)
      if (parcels.length === 0) continue
      underWay++
      void deliver(parcels).then(() => {
        underWay--
        pump()
      })
    }
  }

  return {
    send(hash, raw) {
      const id = toHexDigits(hash)
      if (known.has(id)) return
      known.add(id)
      waiting.push({ id, hash, raw })
      // Transactions that arrive in the same turn of the event loop go into one batch.
      setImmediate(pump)
    },
  }
}
