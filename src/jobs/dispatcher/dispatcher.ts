/** The dispatcher: stores jobs, hands them out to operators, verifies and records their results. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { limitConnections } from '../../base/fairConnections.ts'
import { closeServer, formatAddress, listenAll, type ListenAddress } from '../../base/listen.ts'
import { countSpans } from '../../base/processMetrics.ts'
import type { Tracer } from '../../base/tracing/tracer.ts'
import type { Log } from '../../base/log.ts'
import { VERSION } from '../../base/version.ts'
import type { EvidenceTrust } from '../../proof/attestation.ts'
import { ensureDatabase, refusalOf } from '../../store/sql/database.ts'
import { migrate } from '../../store/sql/migrate.ts'
import { openSql } from '../../store/sql/open.ts'
import { openAccess } from './access/access.ts'
import type { Limits } from './access/projects.ts'
import { archiveOldJobs } from './archive/archive.ts'
import { openObjectStore } from './archive/objectStore.ts'
import { patientAnchoring } from './anchors/anchor.ts'
import { openDispatcherChain, type ChainOptions } from './chain.ts'
import { Committees } from './committees.ts'
import { healAllClocks, healUnfinishedClocks } from './clocks.ts'
import { bindDrawBlocks } from './drawBlocks.ts'
import { createHttpApp } from './http.ts'
import { chainModels } from './identities/followChain.ts'
import { loadIdentity } from './key.ts'
import { startLoop } from './loop.ts'
import { migrations } from './migrations.ts'
import { createOperatorHub } from './operators.ts'
import { createMetrics } from '../../base/metrics.ts'
import { DISPATCHER_METRICS } from './metrics.ts'
import { startProgress } from './progress.ts'
import { removeOldJobs } from './removal.ts'
import { addRoutes } from './routes/all.ts'
import { planJobs } from './plan.ts'
import { expireJobs, reapAssignments } from './schedule.ts'
import { forgetOperators, SESSION_SECONDS } from './sessions.ts'
import { forgetKeys } from './submit/idempotency.ts'
import { openSubmitter } from './submit/submit.ts'
import type { DispatcherSql, DispatcherTables } from './tables.ts'
import { openWakeups } from './wakeups.ts'
import { openVault } from './vault/vault.ts'
import { deliverWebhooks } from './webhooks/deliver.ts'

export type DispatcherOptions = {
  /** URL of the PostgreSQL database, which is created and migrated as needed. */
  readonly databaseUrl: string
  /** File of the dispatcher's private key; created if missing. */
  readonly keyFile: string
  /** File of the key under which prompts and results are encrypted; created if missing, shared by all replicas. */
  readonly promptKeyFile: string
  /** Part of what operators sign. */
  readonly chainId: bigint
  readonly httpAddress: ListenAddress
  readonly operatorAddress: ListenAddress
  /** Allowed values of the Host header, besides IP addresses and localhost. */
  readonly hosts: readonly string[]
  /** Web origins that may read responses. */
  readonly corsOrigins: readonly string[]
  /** Whether results and details can be read without a token (D27). */
  readonly openReads: boolean
  /** What happens to a job for a model that no connected operator serves (D41). */
  readonly unknownModel: 'wait' | 'refuse'
  /** A job without a result expires after this long. */
  readonly jobDeadlineMs: number
  /** Finished jobs are removed after this long; 0 keeps them. */
  readonly retentionMs: number
  /** URL of the bucket that they are moved to instead, with its key (D107); empty: they are deleted. */
  readonly archiveUrl: string
  /** An operator that is silent for this long loses its job. */
  readonly leaseMs: number
  /** Number of unsuccessful hand-outs after which a job fails. */
  readonly maxAttempts: number
  /** Number of operators that a job is for at first, unless its project requires agreement (D104). */
  readonly committee: number
  /** Limits of projects without their own. */
  readonly limits: Limits
  /** Webhook hosts that may be private and may use plain HTTP. */
  readonly webhookHosts: readonly string[]
  /**
   * The chain whose blocks draws are bound to (D32) and on which receipts are anchored; without it, neither happens.
   */
  readonly chain?: ChainOptions | undefined
  /** Which hardware evidence is trusted for tee jobs (D34). */
  readonly evidence: EvidenceTrust
}

export type Dispatcher = {
  /** host:port of the job API. */
  readonly httpAddress: string
  /** host:port that operators connect to, path /ws. */
  readonly operatorAddress: string
  /** The address that the dispatcher's key proves. */
  readonly dispatcherAddress: string
  readonly sql: DispatcherSql
  close(): Promise<void>
}

/** Polling interval for jobs to hand out. Wake-ups make dispatch fast; polling makes it certain. */
const POLL_MS = 500
/**
 * Polling interval for expired leases and deadlines: together with the wait before a retry, a job is handed out again
 * within a second after its lease expires.
 */
const REAP_MS = 250
/** Polling interval for a new block while jobs wait for one. */
const BLOCK_MS = 25
/** Interval of the check whether an interval of receipts is over. */
const ANCHOR_MS = 1000
/** Polling interval for finished jobs that have a webhook. */
const WEBHOOK_MS = 1000
/** Polling interval for changes of the list of models on the chain. */
const MODELS_MS = 5_000
/** Interval at which old jobs and idempotency keys are removed. */
const TIDY_MS = 60_000
/** Grace period for requests in progress when the dispatcher stops. */
const CLOSE_GRACE_MS = 2_000

const MAX_CONNECTIONS = 10_000
const HTTP_LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
}

/**
 * Opens the dispatcher's database and migrates it to the newest schema. Throws UserError where the URL is to be corrected, or the
 * server started.
 */
export async function openDispatcherSql(databaseUrl: string, log: Log): Promise<DispatcherSql> {
  await ensureDatabase(databaseUrl)
  // A step may rewrite a large table.
  const unhurried = openSql<DispatcherTables>(databaseUrl, { log, statementTimeout: 0 })
  try {
    await migrate(unhurried.db, migrations)
  } catch (error) {
    throw refusalOf(databaseUrl, error) ?? error
  } finally {
    await unhurried.close()
  }
  return openSql<DispatcherTables>(databaseUrl, { log })
}

export type DispatcherSurroundings = {
  readonly log: Log
  readonly signal?: AbortSignal
  /** Without it nothing is traced. The caller closes it. */
  readonly tracer?: Tracer | undefined
}

/** Starts a dispatcher; it runs until `close` or the signal. Throws UserError when an address is in use. */
export async function runDispatcher(
  options: DispatcherOptions,
  { log, signal, tracer }: DispatcherSurroundings,
): Promise<Dispatcher> {
  signal?.throwIfAborted()
  const { leaseMs, maxAttempts } = options
  const identity = loadIdentity(options.keyFile)
  const archive = options.archiveUrl === '' ? undefined : openObjectStore(options.archiveUrl)
  const sql = await openDispatcherSql(options.databaseUrl, log)
  const cleanups: (() => Promise<unknown>)[] = [() => sql.close()]
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= runBackwards(cleanups))
  try {
    const domain = { chainId: options.chainId, dispatcher: identity.address }
    await healUnfinishedClocks(sql, identity.address)
    const vault = await openVault(sql, options.promptKeyFile)
    const metrics = createMetrics(DISPATCHER_METRICS)
    if (tracer !== undefined) countSpans(metrics, tracer.counts)
    const progress = startProgress(sql, log)
    cleanups.push(() => progress.stop())
    const stopping = new AbortController()
    cleanups.push(async () => stopping.abort())
    const chain =
      options.chain === undefined
        ? undefined
        : openDispatcherChain(options.chain, identity, stopping.signal)
    const operators = createOperatorHub({
      sql,
      vault,
      identity,
      replica: randomUUID(),
      trust: { domain, evidence: options.evidence },
      chain,
      leaseMs,
      maxAttempts,
      log,
      metrics,
      tracer,
      wake() {
        wake()
        news.send()
      },
      answered() {
        handing.wake()
        progress.wake()
        news.send()
      },
    })
    const committees = new Committees(sql)
    const wake = (): void => {
      committees.changed()
      planning.wake()
      handing.wake()
      binding.wake()
      progress.wake()
    }
    const news = openWakeups(options.databaseUrl, log, wake)
    cleanups.push(() => news.close())
    const planning = startLoop('plan', POLL_MS, log, async () => {
      const planned = await planJobs(sql, committees, {
        committee: options.committee,
        maxAttempts,
        bindsBlocks: chain !== undefined,
      })
      if (planned === 0) return
      handing.wake()
      news.send()
    })
    const handing = startLoop('hand out', POLL_MS, log, async () => {
      if ((await operators.handOut()) > 0) news.send()
    })
    const binding = startLoop('draw blocks', POLL_MS, log, async () => {
      if (chain === undefined) return
      const { waiting, anyBound } = await bindDrawBlocks(sql, chain.rpc)
      if (anyBound) planning.wake()
      if (waiting > 0) setTimeout(binding.wake, BLOCK_MS).unref()
    })
    const reaping = startLoop('reap', REAP_MS, log, async () => {
      await reapAssignments(sql, { leaseMs, maxAttempts })
      await expireJobs(sql, chain !== undefined)
    })
    const renewing = startLoop('sessions', (SESSION_SECONDS * 1000) / 4, log, operators.renew)
    let areClocksSound = false
    const tidying = startLoop('tidy', TIDY_MS, log, async () => {
      if (!areClocksSound) await healAllClocks(sql, identity.address)
      areClocksSound = true
      await forgetKeys(sql)
      await forgetOperators(sql)
      if (archive !== undefined) await archiveOldJobs(sql, archive, options.retentionMs)
      else await removeOldJobs(sql, options.retentionMs)
    })
    const telling = startLoop('webhooks', WEBHOOK_MS, log, async () => {
      const { delivered, failed } = await deliverWebhooks(sql, vault, {
        trusted: options.webhookHosts,
      })
      metrics.add('assay_webhooks_total', { outcome: 'delivered' }, delivered)
      metrics.add('assay_webhooks_total', { outcome: 'failed' }, failed)
      if (delivered + failed > 0) telling.wake()
    })
    const followModels = chainModels(sql, chain)
    const following = startLoop('models', MODELS_MS, log, async () => {
      if (await followModels()) wake()
    })
    const anchor =
      chain?.receipts === undefined
        ? async () => 0
        : patientAnchoring({
            sql,
            contract: chain.receipts,
            intervalMs: chain.options.anchorIntervalMs,
            log,
          })
    const anchoring = startLoop('anchors', ANCHOR_MS, log, async () => {
      metrics.add('assay_receipts_anchored_total', {}, await anchor())
    })
    const loops = [
      planning,
      handing,
      binding,
      following,
      anchoring,
      reaping,
      renewing,
      tidying,
      telling,
    ]
    cleanups.push(() => Promise.all(loops.map((loop) => loop.stop())))
    cleanups.push(() => operators.close())
    const operatorPort = await operators.listen(options.operatorAddress)

    const access = openAccess(sql, options.limits)
    const app = createHttpApp({
      hosts: options.hosts,
      corsOrigins: options.corsOrigins,
      version: VERSION,
      isToken: async (token) => (await access.projectOf(token)) !== undefined,
      log,
    })
    addRoutes(app, {
      sql,
      vault,
      access,
      receipts: { sql, vault, identity, domain, chain, log },
      submitter: openSubmitter(sql, vault, identity.address),
      committees,
      progress,
      archive,
      metrics,
      tracer,
      deadlineMs: options.jobDeadlineMs,
      openReads: options.openReads,
      unknownModel: options.unknownModel,
      log,
      handouts: operators.handouts,
      halt: operators.halt,
      wake() {
        wake()
        news.send()
      },
    })
    await app.ready()
    const { servers, port } = await listenAll(
      () => {
        const server = createServer(HTTP_LIMITS, (request, response) =>
          app.routing(request, response),
        )
        limitConnections(server, MAX_CONNECTIONS)
        return server
      },
      options.httpAddress,
      '--dispatcher.address host:port',
    )
    cleanups.push(async () => {
      // Streams would keep the server open.
      await progress.stop()
      await Promise.all(servers.map((server) => closeServer(server, CLOSE_GRACE_MS)))
      await app.close()
    })
    signal?.addEventListener('abort', () => void close(), { once: true })
    return {
      httpAddress: formatAddress({ host: options.httpAddress.host, port }),
      operatorAddress: formatAddress({
        host: options.operatorAddress.host,
        port: operatorPort,
      }),
      dispatcherAddress: identity.address,
      sql,
      close,
    }
  } catch (error) {
    await close()
    throw refusalOf(options.databaseUrl, error) ?? error
  }
}

async function runBackwards(cleanups: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const cleanup of cleanups.toReversed()) await cleanup()
}
