/**
 * Hints between replicas that there is news in the database: a job for an operator of another one, or progress that a
 * client follows there. They use a separate connection and are never sent within a transaction that writes (D29): a
 * lost hint only causes a delay until the next poll.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { backOff } from '../../base/backOff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { openClient } from '../../store/sql/database.ts'

const CHANNEL = 'assay_news'
/** Hints within this time are merged. */
const GATHER_MS = 20
export type Wakeups = {
  /** Tells the other replicas, soon. */
  send(): void
  close(): Promise<void>
}

/** Listens on its own connection, and reconnects when it is lost. `onNews` is called for hints from other replicas. */
export function openWakeups(databaseUrl: string, log: Log, onNews: () => void): Wakeups {
  const stopping = new AbortController()
  let connected: pg.Client | undefined
  /** Set from the first news until the hint is sent. */
  let timer: NodeJS.Timeout | undefined
  let hasNews = false

  const listen = async (): Promise<void> => {
    // The name identifies it in the server's list of connections.
    const client = await openClient(databaseUrl, { keepAlive: true, application_name: CHANNEL })
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.once('end', () => resolve())
      stopping.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      client.on('notification', ({ processId }) => {
        if (processId !== processIdOf(client)) onNews()
      })
      await client.query(`listen ${CHANNEL}`)
      connected = client
      await lost
    } finally {
      connected = undefined
      // A broken connection has no peer left to say goodbye to.
      const ended = client.end().catch(() => undefined)
      if (stopping.signal.aborted) await ended
    }
  }

  const serve = async (): Promise<void> => {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      try {
        await listen()
        attempt = 0
      } catch (error) {
        log.debug({ reason: messageOf(error) }, 'no connection for hints between replicas')
      }
      await sleep(backOff(attempt), undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const tellSoon = (): void => {
    timer = setTimeout(() => void tell(), GATHER_MS)
  }
  // One at a time: news that arrives while a slow server processes a hint is covered by the next one.
  const tell = async (): Promise<void> => {
    hasNews = false
    await connected?.query(`notify ${CHANNEL}`).catch(() => undefined)
    timer = undefined
    if (hasNews && !stopping.signal.aborted) tellSoon()
  }

  const serving = serve()
  return {
    send() {
      hasNews = true
      if (timer === undefined) tellSoon()
    },
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await serving
    },
  }
}

/** The server's process behind a connection, which its notifications carry; the driver's types omit it. */
function processIdOf(client: pg.Client): number | undefined {
  const { processID } = client as pg.Client & { readonly processID?: number | null }
  return processID ?? undefined
}
