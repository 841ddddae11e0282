/** One operator's socket: both sides prove their keys, then messages are handled, some results at a time and all else in order. */
import { randomBytes } from 'node:crypto'
import type { WebSocket } from 'ws'
import { messageOf } from '../../base/errors.ts'
import { parseBounded } from '../../base/jsonBudget.ts'
import type { Log } from '../../base/log.ts'
import { bytesOfMessage } from '../../base/socketMessage.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { keepAlive } from '../keepAlive.ts'
import {
  CLOSE,
  fromOperator,
  loginText,
  PROTOCOLS,
  type FromDispatcher,
  type FromOperator,
} from '../protocol.ts'
import { recoverSigner, signDigest, textDigest } from '../signature.ts'
import type { Identity } from './key.ts'
import type { Backlog } from './listener/backlog.ts'
import type { RefusedModel } from './identities/judge.ts'
import type { Offer } from './offer.ts'

/** What an operator sends once it is logged in. */
export type Report = Exclude<FromOperator, { type: 'hello' }>

export type Connection = {
  readonly operator: string
  readonly session: string
  /** Job types that it was admitted for. */
  readonly workers: readonly string[]
  /** What it can do besides its version (protocol.ts). */
  readonly features: ReadonlySet<string>
  /** Whether it states identities of models, and understands notices about them. */
  readonly takesNotices: boolean
  /** Bytes that were sent and that the operator has not read yet. */
  unread(): number
  send(message: FromDispatcher): void
  close(code: number, reason: string): void
}

/** What an admitted operator is told. */
export type Opening = {
  readonly range: SelectionRange
  readonly refused: readonly RefusedModel[]
}

export type ConnectionHandlers = {
  /**
   * Called with an authenticated operator; resolves with its range and the models that it gets no jobs for, or with the reason why
   * it is not admitted.
   */
  open(offer: Offer): Promise<Opening | string>
  /** Called after the welcome was sent. */
  opened(connection: Connection, opening: Opening): void
  /** Handles a report of an operator. A rejection closes the socket. */
  report(connection: Connection, report: Report): Promise<void>
  /** Called once for every opened connection, after its last report. */
  closed(connection: Connection): Promise<void>
}

/** Results that are handled at a time (D153): most of the time of each is waiting for the database. */
const MAX_AT_ONCE = 8
/** Less than the gate gives (listener/gate.ts), so that the reason is said. */
const HANDSHAKE_MS = 9_500
const PING_MS = 10_000
const INTERNAL_ERROR = 1011
/** An operator that leaves more than this unread is disconnected, in bytes: all hand-outs for its slots may be on their way. */
const MAX_UNREAD = 32 * 1024 * 1024
/**
 * No message has more: an offer names up to 1,024 models and 2,048 identities of six fields, a heartbeat 1,024 leases, a clock 256
 * participants.
 */
const MESSAGE_LIMITS = { bytes: Infinity, depth: 8, values: 20_000 }

/**
 * Serves a new socket; resolves when it is closed and all messages are handled. Never rejects: any failure closes the
 * socket. `backlog` counts what its messages take until they are handled.
 */
export function serveConnection(
  socket: WebSocket,
  identity: Identity,
  handlers: ConnectionHandlers,
  log: Log,
  backlog?: Backlog,
): Promise<void> {
  const nonce = randomBytes(32).toString('hex')
  let connection: Connection | undefined
  let queue = Promise.resolve()
  /** Results that are being handled, by their lease. */
  const results = new Map<string, Promise<void>>()
  let isRefused = false
  /** Closes the socket; nothing that arrives is handled any more. */
  const refuse = (code: number, reason: string): void => {
    isRefused = true
    socket.close(code, reason)
  }

  const handshake = setTimeout(() => {
    if (connection === undefined) refuse(CLOSE.unauthenticated, 'no hello in time')
  }, HANDSHAKE_MS)
  const stopPings = keepAlive(socket, PING_MS)
  socket.on('ping', requireReader)
  socket.on('error', (error) => log.debug({ err: error.message }, 'operator socket failed'))
  socket.on('message', (data, isBinary) => {
    // A flood stays in the peer's own buffers.
    socket.pause()
    const bytes = bytesOfMessage(data)
    backlog?.arrived(bytes.length)
    queue = queue
      .then(() => take(bytes, isBinary))
      .catch(fail)
      .finally(() => socket.resume())
  })
  send({
    type: 'challenge',
    protocol: PROTOCOLS[0] ?? 1,
    protocols: [...PROTOCOLS],
    takesOffers: true,
    takesIdentities: true,
    dispatcher: identity.address,
    nonce,
  })
  return end()

  async function end(): Promise<void> {
    await new Promise((resolve) => socket.once('close', resolve))
    clearTimeout(handshake)
    stopPings()
    // An opening that is still in progress is undone, too.
    await queue
    await Promise.all(results.values())
    if (connection !== undefined) await handlers.closed(connection)
  }

  function send(message: FromDispatcher): void {
    requireReader()
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }

  /** Answers, also those to pings, queue up for an operator that does not read. */
  function requireReader(): void {
    if (socket.bufferedAmount <= MAX_UNREAD) return
    isRefused = true
    socket.terminate()
  }

  function fail(error: unknown): void {
    log.warn({ operator: connection?.operator, err: messageOf(error) }, 'operator message failed')
    refuse(INTERNAL_ERROR, 'try again later')
  }

  /** Resolves when the next message may be taken. */
  async function take(bytes: Buffer, isBinary: boolean): Promise<void> {
    const handled = (): void => backlog?.handled(bytes.length)
    // What an operator says before it hangs up still counts.
    if (isRefused || (connection === undefined && socket.readyState !== socket.OPEN))
      return handled()
    const message = isBinary ? undefined : parse(bytes)
    if (connection === undefined || (message?.type !== 'result' && message?.type !== 'refused'))
      return handle(message).finally(handled)
    // Answers to different hand-outs in whatever order; of several to one, the first counts.
    const { lease } = message
    await results.get(lease)
    if (isRefused) return handled()
    const result = handlers
      .report(connection, message)
      .catch(fail)
      .finally(() => {
        handled()
        results.delete(lease)
      })
    results.set(lease, result)
    if (results.size >= MAX_AT_ONCE) await Promise.race(results.values())
  }

  async function handle(message: FromOperator | undefined): Promise<void> {
    if (message === undefined) return refuse(CLOSE.malformed, 'malformed message')
    if (connection === undefined) return login(message)
    if (message.type === 'hello') return refuse(CLOSE.malformed, 'a second hello')
    await handlers.report(connection, message)
  }

  async function login(message: FromOperator): Promise<void> {
    if (message.type !== 'hello') return refuse(CLOSE.unauthenticated, 'hello must come first')
    const protocol = PROTOCOLS.find((version) => version === message.protocol)
    if (protocol === undefined)
      return refuse(CLOSE.version, `this dispatcher speaks protocol ${PROTOCOLS.join(' or ')}`)
    const { operator } = message
    const parties = {
      protocol,
      dispatcher: identity.address,
      operator,
      dispatcherNonce: nonce,
      operatorNonce: message.nonce,
    }
    const proof = textDigest(loginText({ role: 'operator', ...parties }))
    if (recoverSigner(proof, message.signature) !== operator)
      return refuse(CLOSE.unauthenticated, 'the signature is not by the operator')
    const session = randomBytes(32).toString('hex')
    const { workers, models, identities, slots } = message
    const offer = { operator, session, protocol, workers, models, identities, slots }
    const opening = await handlers.open(offer)
    clearTimeout(handshake)
    if (typeof opening === 'string') return refuse(CLOSE.unauthenticated, opening)
    const { range } = opening
    connection = {
      operator,
      session,
      workers,
      features: new Set(message.features ?? []),
      takesNotices: identities !== undefined,
      unread: () => socket.bufferedAmount,
      send,
      close: (code, reason) => refuse(code, reason),
    }
    const answer = textDigest(loginText({ role: 'dispatcher', ...parties }))
    const signature = signDigest(answer, identity.privateKey)
    send({ type: 'welcome', session, range, signature })
    handlers.opened(connection, opening)
  }
}

function parse(bytes: Buffer): FromOperator | undefined {
  try {
    return fromOperator.safeParse(parseBounded(bytes, MESSAGE_LIMITS)).data
  } catch {
    return undefined
  }
}
