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
  /** Resolves once CometBFT has it, or after one failed attempt: it is retried until it is no longer in the pool. */
  send(hash: Uint8Array, raw: Uint8Array): Promise<void>
}

type Parcel = {
  readonly hash: Uint8Array
  readonly raw: Uint8Array
  readonly tried: () => void
}

/** `isWanted` tells whether the pool still holds a transaction. */
export function createGossip(
  client: Pick<CometRpcClient, 'broadcast'>,
  isWanted: (hash: Uint8Array) => boolean,
  log: Log,
  signal: AbortSignal,
): Gossip {
  const waiting: Parcel[] = []
  let underWay = 0
  let isRetrying = false

  function retryLater(parcels: readonly Parcel[], reason: string): void {
    log.warn({ transactions: parcels.length, reason }, 'CometBFT is not accepting transactions yet')
    waiting.unshift(...parcels)
    if (isRetrying) return
    isRetrying = true
    void sleep(RETRY_MS, undefined, { signal })
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
      const parcels = waiting.splice(0, MAX_BATCH).filter(({ hash, tried }) => {
        if (isWanted(hash)) return true
        tried()
        return false
      })
      if (parcels.length === 0) continue
      underWay++
      void deliver(parcels).then(() => {
        underWay--
        for (const { tried } of parcels) tried()
        pump()
      })
    }
  }

  return {
    send: (hash, raw) =>
      new Promise((resolve) => {
        waiting.push({ hash, raw, tried: resolve })
        // No caller waits for a CometBFT that is unreachable; the pool has it.
        if (isRetrying) resolve()
        // Transactions that arrive in the same turn of the event loop go into one batch.
        else setImmediate(pump)
      }),
  }
}
