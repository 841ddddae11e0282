/** One WebSocket to the dispatcher, from login to loss. */
import { WebSocket } from 'ws'
import { messageOf } from '../../base/errors.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { FrameMeter } from '../../base/frameMeter.ts'
import { parseBounded } from '../../base/jsonBudget.ts'
import { keepAlive } from '../keepAlive.ts'
import {
  CLOSE,
  fromDispatcher,
  type FromDispatcher,
  type FromOperator,
  type Protocol,
} from '../protocol.ts'
import { beginLogin, LoginError, type Identity, type Login } from './login.ts'
import type { Offer } from './offers.ts'

/** Called with messages that arrive after the login. */
export type Order = Exclude<FromDispatcher, { type: 'challenge' | 'welcome' }>

export type Session = {
  readonly protocol: Protocol
  /** Whether the dispatcher takes new offers with heartbeats; to others, they are made by another login. */
  readonly takesOffers: boolean
  /** Whether offers to it may have any names, and identities (D144). */
  readonly takesIdentities: boolean
  /** What the login offered: the beginning of a long list. */
  readonly offered: Pick<Offer, 'models' | 'identities'>
  readonly range: SelectionRange
  /** Sends a message, or drops it if the socket is closed: callers that need delivery keep it until `recorded`. */
  send(message: FromOperator): void
  /** The same, and resolves when the dispatcher has room for more. */
  sendWhenRead(message: FromOperator): Promise<void>
  /** Resolves with the reason when the socket is closed. Never rejects. */
  readonly closed: Promise<string>
  close(): void
}

export type SessionOptions = {
  readonly url: string
  readonly identity: Identity
  readonly offer: Offer
  /** This operator's range in the registry, if it has one. */
  readonly registered?: SelectionRange | undefined
  /** No more than 64 messages are read before what it returned resolves. Must not reject. */
  readonly onOrder: (order: Order, session: Session) => Promise<void> | void
  readonly signal: AbortSignal
}

const LOGIN_MS = 10_000
const PING_MS = 15_000
/** How long to wait for the dispatcher's reply to a goodbye. */
const GOODBYE_MS = 1_000
/** Maximum length of a close frame's reason in our messages (the protocol's own limit is 123 bytes). */
const MAX_REASON = 120
/** A prompt has at most 16 MiB; escapes in JSON may double it. */
const MAX_MESSAGE = 32 * 1024 * 1024
/** Before the dispatcher has proved who it is. */
const MAX_STRANGER_MESSAGE = 16 * 1024
/** Messages that are being handled before no more are read. */
const MAX_WAITING = 64
const MESSAGE_LIMITS = { bytes: Infinity, depth: 8, values: 4096 }
/** A dispatcher that leaves more than this unread is disconnected, in bytes. */
const MAX_UNREAD = 64 * 1024 * 1024

/** Connects and logs in. Rejects with LoginError, or with the socket's error; the socket is closed then. */
export function openSession(options: SessionOptions): Promise<Session> {
  return new Promise((resolve, reject) => connect(options, resolve, reject))
}

function connect(
  options: SessionOptions,
  resolve: (session: Session) => void,
  reject: (error: Error) => void,
): void {
  const socket = new WebSocket(options.url, {
    handshakeTimeout: LOGIN_MS,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
  })
  socket.once('upgrade', ({ socket: network }) => {
    const meter = new FrameMeter()
    // By then the library listens, too; earlier it would miss what came with the upgrade.
    socket.once('open', () =>
      network.on('data', (chunk: Buffer) => {
        meter.take(chunk)
        if (session === undefined && meter.declared > MAX_STRANGER_MESSAGE) socket.terminate()
      }),
    )
  })
  const closed = new Promise<string>((settle) => {
    socket.on('close', (code, reason) => settle(closingText(code, String(reason))))
  })
  const fail = (error: Error, code: number): void => {
    reject(error)
    socket.close(code, error.message.slice(0, MAX_REASON))
  }
  const stop = (): void => {
    socket.close(CLOSE.shutdown)
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref()
  }
  const loginTimer = setTimeout(() => {
    fail(new LoginError('the dispatcher did not finish the login in time'), CLOSE.unauthenticated)
    socket.terminate()
  }, LOGIN_MS)
  const stopPings = keepAlive(socket, PING_MS)
  options.signal.addEventListener('abort', stop, { once: true })

  let login: Login | undefined
  let session: Session | undefined
  let takesOffers = false
  let takesIdentities = false
  let waiting = 0
  const send = (outgoing: FromOperator, sent: () => void = () => undefined): void => {
    if (socket.bufferedAmount > MAX_UNREAD) socket.terminate()
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(outgoing), () => sent())
    else sent()
  }
  const receive = (message: FromDispatcher): void => {
    if (session !== undefined && message.type !== 'challenge' && message.type !== 'welcome') {
      // A flood stays in the dispatcher's own buffers.
      if (++waiting >= MAX_WAITING) socket.pause()
      void Promise.resolve(options.onOrder(message, session)).finally(() => {
        if (--waiting < MAX_WAITING) socket.resume()
      })
      return
    }
    if (message.type === 'challenge' && login === undefined) {
      takesOffers = message.takesOffers ?? false
      takesIdentities = message.takesIdentities ?? false
      login = beginLogin(message, options.identity, options.offer, options.registered)
      return socket.send(JSON.stringify(login.hello))
    }
    if (message.type !== 'welcome' || login === undefined || session !== undefined)
      throw new LoginError(`the dispatcher sent "${message.type}" out of order`)
    session = {
      protocol: login.protocol,
      takesOffers,
      takesIdentities,
      offered: login.hello,
      range: login.finish(message),
      send,
      sendWhenRead: (outgoing) => new Promise((sent) => send(outgoing, sent)),
      closed,
      close: stop,
    }
    clearTimeout(loginTimer)
    resolve(session)
  }
  socket.on('message', (data, isBinary) => {
    const message = Buffer.isBuffer(data) && !isBinary ? parseMessage(data) : undefined
    if (message === undefined)
      return fail(new LoginError('the dispatcher sent a malformed message'), CLOSE.malformed)
    try {
      receive(message)
    } catch (error) {
      fail(error instanceof Error ? error : new Error(messageOf(error)), CLOSE.unauthenticated)
    }
  })
  socket.on('error', reject)
  socket.on('close', (code, reason) => {
    clearTimeout(loginTimer)
    stopPings()
    options.signal.removeEventListener('abort', stop)
    reject(new LoginError(closingText(code, String(reason))))
  })
  if (options.signal.aborted) stop()
}

function closingText(code: number, reason: string): string {
  return `the connection to the dispatcher was closed (${reason === '' ? code : `${code}, ${reason}`})`
}

function parseMessage(bytes: Buffer): FromDispatcher | undefined {
  try {
    return fromDispatcher.safeParse(parseBounded(bytes, MESSAGE_LIMITS)).data
  } catch {
    return undefined
  }
}
