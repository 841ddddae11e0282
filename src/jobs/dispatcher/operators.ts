/** The operators connected here: hands out jobs to them, and takes what they send. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { messageOf } from '../../base/errors.ts'
import { limitConnections } from '../../base/fairConnections.ts'
import { closeServer, listenAll, type ListenAddress } from '../../base/listen.ts'
import type { Log } from '../../base/log.ts'
import { CLOSE, type Piece } from '../protocol.ts'
import { admit } from './admission.ts'
import type { DispatcherChain } from './chain.ts'
import type { Trust } from './check.ts'
import {
  serveConnection,
  type Connection,
  type ConnectionHandlers,
  type Opening,
  type Report,
} from './connection.ts'
import { Handouts } from './handouts.ts'
import type { Identity } from './key.ts'
import { createBacklogs } from './listener/backlog.ts'
import { createGate, GATE_LIMITS } from './listener/gate.ts'
import type { Tracer } from '../../base/tracing/tracer.ts'
import type { JobParams } from '../../proof/job/job.ts'
import { jobTrace } from '../jobTrace.ts'
import type { DispatcherMetrics } from './metrics.ts'
import { takeOutcome } from './outcomes.ts'
import { drawBlockOf, jobSpec, readJob, recordFailure } from './record.ts'
import {
  claimAssignments,
  listWaiting,
  MAX_HANDOUTS,
  renewLeases,
  type Handout,
} from './schedule.ts'
import type { RefusedModel } from './identities/judge.ts'
import type { Offer } from './offer.ts'
import {
  changeOffer,
  closeOperatorSession,
  openOperatorSession,
  renewSessions,
} from './sessions.ts'
import type { DispatcherSql } from './tables.ts'
import type { Vault } from './vault/vault.ts'

const MAX_MESSAGE = 16 * 1024 * 1024
const MAX_CONNECTIONS = 10_000
const CLOSE_GRACE_MS = 1000
/** The gate ends connections whose upgrade does not come; these are for what it does not see. */
const SERVER_LIMITS = {
  headersTimeout: GATE_LIMITS.loginMs,
  requestTimeout: GATE_LIMITS.loginMs,
  connectionsCheckingInterval: 1000,
}
/** `closeTimeout` is newer than the library's types: how long a peer may take over the closing handshake. */
const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: MAX_MESSAGE,
  maxFragments: 1024,
  maxBufferedChunks: 16 * 1024,
  closeTimeout: CLOSE_GRACE_MS,
  perMessageDeflate: false,
}
/** Refused models of one offer that are logged. */
const MAX_LOGGED = 16
/** An operator that has more to read than this gets no further hand-outs, in bytes. */
const MAX_UNREAD = 1024 * 1024

export type OperatorHubOptions = {
  readonly sql: DispatcherSql
  readonly vault: Vault
  readonly identity: Identity
  /** Random name of this process among those that share the database. */
  readonly replica: string
  readonly trust: Trust
  /** With the registry that admits operators; without it, all are admitted. */
  readonly chain: DispatcherChain | undefined
  readonly leaseMs: number
  readonly maxAttempts: number
  readonly log: Log
  readonly metrics: DispatcherMetrics
  readonly tracer?: Tracer | undefined
  /** Called when there may be jobs to plan and to hand out. */
  readonly wake: () => void
  /** Called when an operator has finished a job: it may take another one, and a client may wait for the answer. */
  readonly answered: () => void
}

export type OperatorHub = {
  /** What the operators connected here do at the moment. */
  readonly handouts: Handouts
  /** Tells the operators connected here that a job is over. */
  halt(jobId: string): void
  /** Starts listening at /ws of an address; resolves with the port. Throws UserError when it is in use. */
  listen(address: ListenAddress): Promise<number>
  /** Leases waiting assignments and sends them; resolves with their number. */
  handOut(): Promise<number>
  /** Renews the connections in the database and closes those that were replaced by a connection to another replica. */
  renew(): Promise<void>
  /** Says goodbye to all operators and stops listening. */
  close(): Promise<void>
}

/** A hub without connections yet. */
export function createOperatorHub(options: OperatorHubOptions): OperatorHub {
  const { sql, vault, identity, replica, trust, chain } = options
  const { leaseMs, maxAttempts, log, metrics, wake } = options
  const connections = new Map<string, Connection>()
  const handouts = new Handouts()
  const serving = new Set<Promise<void>>()
  const listeners: Server[] = []
  const sockets = new WebSocketServer(SOCKET_OPTIONS)
  const gate = createGate()
  const backlogs = createBacklogs()

  const handlers: ConnectionHandlers = {
    async open(offer: Offer) {
      const admission = await admit(chain, offer, log)
      if ('refusal' in admission) return admission.refusal
      return openOperatorSession(sql, replica, offer, admission.range)
    },
    opened(connection: Connection, { refused }: Opening) {
      connections.get(connection.operator)?.close(CLOSE.replaced, 'a newer connection took over')
      connections.set(connection.operator, connection)
      countConnections()
      log.info({ operator: connection.operator }, 'operator connected')
      notify(connection, refused)
      wake()
    },
    report: answerReport,
    async closed(connection: Connection) {
      if (connections.get(connection.operator) === connection) {
        connections.delete(connection.operator)
        for (const held of handouts.by(connection.operator)) endHandout(held, false)
      }
      countConnections()
      log.info({ operator: connection.operator }, 'operator left')
      try {
        await closeOperatorSession(sql, connection.session)
      } catch (error) {
        log.debug({ err: messageOf(error) }, 'a session was left to run out')
      }
    },
  }

  /** Says which models are refused, and why. */
  function notify(connection: Connection, refused: readonly RefusedModel[]): void {
    const { operator } = connection
    for (const { model, reason } of refused.slice(0, MAX_LOGGED))
      log.warn({ operator, model, reason }, 'an operator serves another file than registered')
    if (refused.length > 0 && connection.takesNotices)
      connection.send({ type: 'notice', refused: [...refused] })
  }

  function countConnections(): void {
    metrics.set('assay_operators_connected', {}, connections.size)
  }

  async function answerReport(connection: Connection, report: Report): Promise<void> {
    if (report.type === 'heartbeat') return takeHeartbeat(connection, report)
    if (report.type === 'text') return takePiece(connection, report)
    const { jobId, lease } = report
    const began = performance.now()
    const { refusal, goesOn } = await takeOutcome(options, connection.operator, report)
    options.tracer?.record('job.result', {
      kind: 'consumer',
      milliseconds: performance.now() - began,
      parent: jobTrace(jobId),
      attributes: {
        'assay.job.id': jobId,
        'assay.operator': connection.operator,
        'assay.result': report.type,
      },
      isError: refusal !== undefined,
    })
    endHandout(report, refusal === undefined && report.type === 'result' && report.selected)
    connection.send(
      refusal === undefined
        ? { type: 'recorded', jobId, lease }
        : { type: 'rejected', jobId, lease, reason: refusal },
    )
    if (goesOn) wake()
    else options.answered()
  }

  async function takeHeartbeat(
    connection: Connection,
    { leases, offer }: Extract<Report, { type: 'heartbeat' }>,
  ): Promise<void> {
    if (leases.length > 0) await renewLeases(sql, connection.operator, leases, leaseMs)
    if (offer === undefined) return
    const workers = offer.workers.filter((type) => connection.workers.includes(type))
    const { models, identities } = offer
    const refused = await changeOffer(sql, connection.session, { workers, models, identities })
    log.info({ operator: connection.operator, workers }, 'operator changed its offer')
    notify(connection, refused)
    wake()
  }

  function takePiece(connection: Connection, piece: Piece): void {
    const { jobId, lease } = piece
    if (!handouts.take(connection.operator, piece))
      connection.send({ type: 'stream', jobId, lease, on: false })
  }

  /** A hand-out is over; if its operator spoke and gave no answer, the next one does. */
  function endHandout(
    over: { readonly jobId: string; readonly lease: string },
    isAnswered: boolean,
  ): void {
    const next = handouts.end(over, isAnswered)
    if (next === undefined) return
    const { jobId, lease } = next
    connections.get(next.operator)?.send({ type: 'stream', jobId, lease, on: true })
  }

  async function send(handout: Handout): Promise<void> {
    const { job_id: jobId, operator, lease, seed, tag, position, clock } = handout
    const submitted = await readJob(vault, { ...handout, id: jobId }).catch((error: unknown) => {
      log.error({ jobId, err: messageOf(error) }, 'cannot read a job')
    })
    if (submitted === undefined) {
      const reason = 'the stored job cannot be read'
      await recordFailure(sql, { operator, lease, reason, retry: false }, maxAttempts)
      return
    }
    const job = jobSpec(submitted)
    const connection = connections.get(operator)
    if (
      connection !== undefined &&
      needsFeature(job.params) &&
      !connection.features.has('params')
    ) {
      const reason = `operator ${operator} is of a former release, which knows no messages, stop or seed`
      const failure = { operator, lease, reason, retry: true, unavailable: true }
      await recordFailure(sql, failure, maxAttempts)
      return
    }
    const streams = submitted.params?.stream === true && connection?.features.has('stream') === true
    handouts.begin({ jobId, lease, operator, streams })
    metrics.add('assay_handouts_total', {})
    options.tracer?.record('job.handout', {
      kind: 'producer',
      milliseconds: 0,
      parent: jobTrace(jobId),
      attributes: { 'assay.job.id': jobId, 'assay.operator': operator },
    })
    const block = drawBlockOf(handout)
    // When the socket is closed, the lease expires.
    connection?.send({
      type: 'dispatch',
      jobId,
      lease,
      leaseSeconds: Math.ceil(leaseMs / 1000),
      seed,
      tag,
      position,
      clock,
      ...(handout.protocol >= 3 && { createdAt: Number(handout.created) }),
      ...(block !== undefined && { block }),
      chainId: String(trust.domain.chainId),
      ...(streams && { stream: true }),
      job,
    })
  }

  function createListener(): Server {
    const server = createServer(SERVER_LIMITS, (_request, response) => {
      response.writeHead(426, { connection: 'close' }).end()
    })
    limitConnections(server, MAX_CONNECTIONS)
    server.on('connection', gate.enter)
    server.on('upgrade', (request, socket, head) => {
      // Operators are programs; a web page has no business here (D50).
      const isWelcome = request.headers.origin === undefined && pathOf(request) === '/ws'
      if (isWelcome)
        sockets.handleUpgrade(request, socket, head, (accepted) => {
          accept(accepted, request.socket)
        })
      else socket.destroy()
    })
    return server
  }

  function accept(socket: WebSocket, network: Socket): void {
    const backlog = backlogs.follow(socket, network)
    const own: ConnectionHandlers = {
      ...handlers,
      open: async (offer) =>
        gate.mayLogIn(network.remoteAddress)
          ? handlers.open(offer)
          : 'too many logins from this address; try again in a minute',
      opened(connection, opening) {
        gate.loggedIn(network)
        backlog.loggedIn()
        handlers.opened(connection, opening)
      },
    }
    const served = serveConnection(socket, identity, own, log, backlog)
    serving.add(served)
    void served.then(() => serving.delete(served))
  }

  return {
    handouts,
    halt(jobId) {
      for (const { lease, operator } of handouts.of(jobId)) {
        const connection = connections.get(operator)
        if (connection?.features.has('halt') === true)
          connection.send({ type: 'halt', jobId, lease })
        handouts.end({ jobId, lease }, true)
      }
    },
    async listen(address) {
      const { servers, port } = await listenAll(
        createListener,
        address,
        '--dispatcher.operator-address host:port',
      )
      listeners.push(...servers)
      return port
    },
    async handOut() {
      if (connections.size === 0) return 0
      const waiting = await listWaiting(sql)
      // Only for sockets that were welcomed, and are read.
      const sessions = waiting.flatMap((operator) => {
        const connection = connections.get(operator)
        return connection === undefined || connection.unread() >= MAX_UNREAD
          ? []
          : connection.session
      })
      let count = 0
      for (let at = 0; at < sessions.length; at += MAX_HANDOUTS)
        for (const some = sessions.slice(at, at + MAX_HANDOUTS); ;) {
          const handouts = await claimAssignments(sql, some, leaseMs)
          for (const handout of handouts) await send(handout)
          count += handouts.length
          if (handouts.length < MAX_HANDOUTS) break
        }
      return count
    },
    async renew() {
      // Operators that connect in the meantime are not in the result and must not be considered replaced.
      const present = [...connections.values()]
      if (present.length === 0) return
      const newest = await renewSessions(sql, replica)
      for (const connection of present)
        if (!newest.has(connection.session))
          connection.close(CLOSE.replaced, 'a newer connection took over')
    },
    async close() {
      for (const socket of sockets.clients) socket.close(CLOSE.shutdown, 'the dispatcher stops')
      const ends = listeners.map((server) => closeServer(server, CLOSE_GRACE_MS))
      const force = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate()
      }, CLOSE_GRACE_MS)
      await Promise.all([...ends, ...serving])
      backlogs.stop()
      clearTimeout(force)
    },
  }
}

/** Whether a hand-out has parameters that former releases would leave out. */
function needsFeature({ messages, stop, seed }: JobParams): boolean {
  return messages !== undefined || stop !== undefined || seed !== undefined
}

function pathOf(request: IncomingMessage): string | undefined {
  return request.url?.split('?')[0]
}
