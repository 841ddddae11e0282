/** Hands transactions of the application's pool over to CometBFT, whose network tells them to every other node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { MAX_BATCH, type CometRpcClient } from './rpc.ts'

/** Between attempts to reach a CometBFT that does not answer, or has no room. */
const RETRY_MS = 500
/** Batches under way at a time. */
const PARALLEL = 4

/** It has this transaction: that is all that is wanted. */
const ALREADY_THERE = 'tx already exists in cache'

export type Gossip = {
  /** Resolves once CometBFT has it, or was tried once in vain: it is tried again until it is no longer in the pool. */
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
    log.warn({ transactions: parcels.length, reason }, 'CometBFT did not take transactions yet')
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
        // Nobody waits for a CometBFT that is away; the pool has it.
        if (isRetrying) resolve()
        // What arrives in the same turn of the event loop goes in one batch.
        else setImmediate(pump)
      }),
  }
}
