/** Passes transactions of the application's pool to CometBFT, whose network gossips them to every other node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { MAX_BATCH, type CometRpcClient } from './rpc.ts'

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
  readonly hash: Uint8Array
  readonly raw: Uint8Array
}

/** Resolves after some milliseconds; rejects when the node stops. */
type Wait = (milliseconds: number) => Promise<unknown>

/** `isWanted` tells whether the pool still holds a transaction. */
export function createGossip(
  client: Pick<CometRpcClient, 'broadcast'>,
  isWanted: (hash: Uint8Array) => boolean,
  log: Log,
  signal: AbortSignal,
  wait: Wait = (milliseconds) => sleep(milliseconds, undefined, { signal }),
): Gossip {
  const waiting: Parcel[] = []
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
    const failed = parcels.filter((_parcel, index) => {
      const reason = answers[index]
      return reason !== undefined && !reason.includes(ALREADY_THERE)
    })
    const reason = answers.find((each) => each !== undefined && !each.includes(ALREADY_THERE)) ?? ''
    if (failed.length > 0) retryLater(failed, reason)
  }

  function pump(): void {
    if (isRetrying) return
    while (underWay < PARALLEL && waiting.length > 0) {
      const parcels = waiting.splice(0, MAX_BATCH).filter(({ hash }) => isWanted(hash))
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
      waiting.push({ hash, raw })
      // Transactions that arrive in the same turn of the event loop go into one batch.
      setImmediate(pump)
    },
  }
}
