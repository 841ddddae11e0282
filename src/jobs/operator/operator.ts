/**
 * The operator: takes jobs from one dispatcher, does them and delivers the results. A result is on disk before it is
 * sent and stays there until the dispatcher confirms that it is recorded, so no restart of either side loses one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../base/backOff.ts'
import { messageOf } from '../../base/errors.ts'
import { formatAddress } from '../../base/listen.ts'
import { countSpans } from '../../base/processMetrics.ts'
import type { Tracer } from '../../base/tracing/tracer.ts'
import type { Log } from '../../base/log.ts'
import { createMetrics } from '../../base/metrics.ts'
import { startMetricsServer, type MetricsServer } from '../../base/metricsServer.ts'
import type { OperatorConfig } from '../../config/operator.ts'
import { connectChain } from '../onchain/chain.ts'
import { operatorChain } from './chain.ts'
import { openOperatorDatabase, whileUnavailable } from './database.ts'
import { Desk } from './desk.ts'
import type { Offer } from './offers.ts'
import { OPERATOR_METRICS, type OperatorMetrics } from './metrics.ts'
import { offerMessage } from './offers.ts'
import { openOutbox } from './outbox.ts'
import { openSession, type Session } from './session.ts'
import { openSources } from './sources.ts'

/** Interval of the check of what can be offered, and while a worker is away. */
const WATCH_MS = 2_000
const AWAY_MS = 500
/** Timeout of that check: an own worker that starts would hold it. */
const LOOK_MS = 5_000

export type Operator = {
  /** Resolves after the first login. */
  readonly connected: Promise<void>
  /** URL of the metrics; undefined if they are not served. */
  readonly metrics: string | undefined
  close(): Promise<void>
}

/**
 * Starts an operator. It waits for its database, then connects, and reconnects, until it is closed or the signal is
 * aborted. Rejects when the database refuses permanently (a wrong password, for example).
 */
export async function runOperator(
  config: OperatorConfig,
  {
    log,
    signal,
    tracer,
  }: {
    readonly log: Log
    readonly signal: AbortSignal
    /** Without it nothing is traced. The caller closes it. */
    readonly tracer?: Tracer | undefined
  },
): Promise<Operator> {
  const stopping = new AbortController()
  const stopped = AbortSignal.any([signal, stopping.signal])
  const database = await openOperatorDatabase(config.pg_db_url, log, stopped)
  const outbox = openOutbox(database)
  const sources = openSources(config, log)
  const metrics = createMetrics(OPERATOR_METRICS)
  if (tracer !== undefined) countSpans(metrics, tracer.counts)
  const desk = new Desk({
    identity: {
      address: config.node_id,
      privateKey: config.signer_key,
      dispatcher: config.dispatcher_address,
    },
    clock: await whileUnavailable(() => outbox.clock(), log, stopped),
    slots: config.slots,
    sources,
    chain: operatorChain(connectChain(config.chain_rpc_url, stopped), config),
    outbox,
    metrics,
    tracer,
    log,
    signal: stopped,
  })
  const measured = await serveMetrics(config, metrics, desk, log)
  let serving: Promise<void> = Promise.resolve()
  const connected = new Promise<void>((resolve) => {
    serving = serve(config, desk, log, stopped, (isConnected) => {
      metrics.set('assay_operator_connected', {}, isConnected ? 1 : 0)
      if (isConnected) resolve()
    })
  })
  return {
    connected,
    metrics: measured && `http://${formatAddress(measured.address)}`,
    async close() {
      stopping.abort()
      await serving
      await desk.idle()
      await measured?.close()
      for (const source of sources.values()) await source.close()
      await database.close()
    },
  }
}

async function serveMetrics(
  { metrics_address: address, slots }: OperatorConfig,
  metrics: OperatorMetrics,
  desk: Desk,
  log: Log,
): Promise<MetricsServer | undefined> {
  if (address === undefined) return undefined
  metrics.set('assay_operator_slots', {}, slots)
  metrics.onScrape(() => metrics.set('assay_operator_jobs_at_hand', {}, desk.jobsAtHand))
  const { scrape } = metrics
  return await startMetricsServer({ address, flag: 'metrics_address', scrape, log })
}

/** Connects and reconnects. Never rejects. */
async function serve(
  config: OperatorConfig,
  desk: Desk,
  log: Log,
  signal: AbortSignal,
  onConnection: (isConnected: boolean) => void,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const offer = await desk.offer()
      const session = await openSession({
        url: config.dispatcher_url,
        identity: desk.identity,
        offer,
        registered: await desk.registered(),
        onOrder: (order, from) => desk.take(order, from),
        signal,
      })
      const { workers, models } = offer
      log.info(
        { dispatcher: config.dispatcher_url, range: session.range, workers, models },
        'connected',
      )
      onConnection(true)
      attempt = 0
      const ended = new AbortController()
      const watching = watchOffer(desk, offer, session, ended.signal)
      try {
        await desk.deliver(session)
        log.warn({ reason: await session.closed }, 'disconnected')
      } finally {
        onConnection(false)
        ended.abort()
        session.close()
        await watching
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'no connection to the dispatcher')
    }
    await sleep(backOff(attempt), undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Tells the dispatcher when a model file or a worker appears or disappears (D102). What the login did not offer, and any change
 * to a dispatcher of a former release, needs another login: the session is closed then, between jobs.
 */
async function watchOffer(
  desk: Desk,
  offer: Offer,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  const { models: first, identities: known } = session.offered
  let told = JSON.stringify(
    offerMessage({ ...offer, models: first, identities: known ?? [] }, session),
  )
  for (let isComplete = true; ;) {
    await desk.rest(isComplete ? WATCH_MS : AWAY_MS, signal)
    if (signal.aborted) return
    const look = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
    const current = await desk
      .offer(look)
      .catch((): Offer => ({ ...offer, workers: [], models: [], identities: [] }))
    if (signal.aborted) return
    isComplete = offer.workers.every((type) => current.workers.includes(type))
    const isNew = current.workers.some((type) => !offer.workers.includes(type))
    const message = offerMessage(current, session)
    if (JSON.stringify(message) === told) continue
    if (session.takesOffers && !isNew) {
      session.send({ type: 'heartbeat', leases: [], offer: message })
      told = JSON.stringify(message)
    } else if (!desk.isBusy) session.close()
  }
}
