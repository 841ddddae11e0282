/** One WebSocket to the dispatcher, from login to loss. */
import { WebSocket } from 'ws'
import { messageOf } from '../../base/errors.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { keepAlive } from '../keepAlive.ts'
import {
  CLOSE,
  fromDispatcher,
  type FromDispatcher,
  type FromOperator,
  type Protocol,
} from '../protocol.ts'
import { beginLogin, LoginError, type Identity, type Login, type Offer } from './login.ts'

/** Called with messages that arrive after the login. */
export type Order = Exclude<FromDispatcher, { type: 'challenge' | 'welcome' }>

export type Session = {
  readonly protocol: Protocol
  readonly range: SelectionRange
  /** Sends a message, or drops it if the socket is closed: callers that need delivery keep it until `recorded`. */
  send(message: FromOperator): void
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
  readonly onOrder: (order: Order, session: Session) => void
  readonly signal: AbortSignal
}

const LOGIN_MS = 10_000
const PING_MS = 15_000
/** How long to wait for the dispatcher's reply to a goodbye. */
const GOODBYE_MS = 1_000
/** Maximum length of a close frame's reason in our messages (the protocol's own limit is 123 bytes). */
const MAX_REASON = 120
const MAX_MESSAGE = 64 * 1024 * 1024

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
  const receive = (message: FromDispatcher): void => {
    if (session !== undefined && message.type !== 'challenge' && message.type !== 'welcome')
      return options.onOrder(message, session)
    if (message.type === 'challenge' && login === undefined) {
      login = beginLogin(message, options.identity, options.offer, options.registered)
      return socket.send(JSON.stringify(login.hello))
    }
    if (message.type !== 'welcome' || login === undefined || session !== undefined)
      throw new LoginError(`the dispatcher sent "${message.type}" out of order`)
    session = {
      protocol: login.protocol,
      range: login.finish(message),
      send: (outgoing) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(outgoing))
      },
      closed,
      close: stop,
    }
    clearTimeout(loginTimer)
    resolve(session)
  }
  socket.on('message', (data, isBinary) => {
    const message = Buffer.isBuffer(data) && !isBinary ? parseMessage(data.toString()) : undefined
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

function parseMessage(text: string): FromDispatcher | undefined {
  try {
    return fromDispatcher.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
