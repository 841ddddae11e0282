/**
 * A fast path for everyday requests in front of node:http (D38c), which spends more time on one than all the rest of
 * the program. A connection stays here as long as each of its requests is plain (plainRequest.ts) and arrives whole in
 * one chunk; with the first other request it is handed to node:http permanently.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { textOf } from './body.ts'
import type { Answer } from './dispatch.ts'
import { failureText } from './envelope.ts'
import { RpcError } from './errors.ts'
import { gzipText } from './httpAnswer.ts'
import { createPlainReader, type PlainRequest } from './plainRequest.ts'
import type { JsonText } from './rawJson.ts'

export type PlainHttpOptions = {
  /** Whether a request is served here. node:http refuses the others. */
  readonly isServed: (request: PlainRequest) => boolean
  /** Called once for each connection: returns the function that answers its requests. */
  readonly answersTo: (
    remoteAddress: string | undefined,
  ) => (body: string, request: PlainRequest) => Answer | Promise<Answer>
  /** Responses with at least this many characters are compressed for clients that accept it; undefined for never. */
  readonly compressFrom: number | undefined
  /** Timeout for the first request of a connection, and for an idle connection, in milliseconds. */
  readonly headersTimeout: number
  readonly keepAlive: number
}

/** Maximum number of bytes buffered for a client that awaits its response; the rest waits in the kernel. */
const MOST_WAITING = 64 * 1024

type Connection = {
  readonly socket: Socket
  isBusy: boolean
  /** Answers pending requests and closes. */
  endSoon(): void
}

/** The Date header, updated once a second. */
function createDate(): () => string {
  let second = -1
  let text = ''
  return () => {
    const now = Date.now()
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      text = new Date(now).toUTCString()
    }
    return text
  }
}

const PARSE_FAILURE: Answer = {
  text: failureText('null', new RpcError('parse')),
  isUnauthorized: false,
}

/** Puts the fast path in front of a server that is not listening yet. */
export function servePlainRequests(server: Server, options: PlainHttpOptions): void {
  const { isServed, answersTo, compressFrom, headersTimeout, keepAlive } = options
  const connections = new Set<Connection>()
  const date = createDate()
  const [serveWithNode] = server.listeners('connection')
  if (serveWithNode === undefined) throw new Error('node:http does not take connections')
  const keepAliveHeader = `Keep-Alive: timeout=${Math.floor(keepAlive / 1000)}`

  function headOf(isUnauthorized: boolean, size: number, isLast: boolean, more = ''): string {
    const status = isUnauthorized ? '401 Unauthorized\r\nWWW-Authenticate: Bearer' : '200 OK'
    const connection = isLast ? 'Connection: close' : `Connection: keep-alive\r\n${keepAliveHeader}`
    return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n${more}Date: ${date()}\r\n${connection}\r\n\r\n`
  }

  function serve(socket: Socket): void {
    const read = createPlainReader()
    const answer = answersTo(socket.remoteAddress)
    let waiting: Buffer[] = []
    let hasEnded = false
    const connection: Connection = {
      socket,
      isBusy: false,
      endSoon() {
        hasEnded = true
        if (!connection.isBusy) socket.end()
      },
    }
    const destroy = (): void => void socket.destroy()
    const endSoon = (): void => connection.endSoon()

    const isLast = (): boolean => waiting.length === 0 && (hasEnded || !server.listening)

    function handOver(bytes: Buffer): void {
      connections.delete(connection)
      socket.off('data', onData).off('end', endSoon).off('timeout', destroy).off('error', destroy)
      socket.setTimeout(0)
      Reflect.apply(serveWithNode as () => void, server, [socket])
      // Node's parser takes over from here.
      socket.emit('data', bytes)
    }

    /** Whether the whole response was written at once; otherwise a promise that resolves when it was. */
    function send(
      { text = '', isUnauthorized }: Answer,
      { acceptsGzip }: PlainRequest,
    ): true | Promise<void> {
      const isCompressed = acceptsGzip && compressFrom !== undefined && text.length >= compressFrom
      if (isCompressed || typeof text !== 'string')
        return sendLong(text, isUnauthorized, isCompressed)
      const size = Buffer.byteLength(text)
      const head = headOf(isUnauthorized, size, isLast())
      const isFlushed = socket.write(head + text, size === text.length ? 'latin1' : 'utf8')
      return isFlushed || drained()
    }

    function drained(): Promise<void> {
      return new Promise((resolve) => {
        const done = (): void => {
          socket.off('drain', done).off('close', done)
          resolve()
        }
        socket.on('drain', done).on('close', done)
      })
    }

    async function sendLong(
      text: JsonText,
      isUnauthorized: boolean,
      isCompressed: boolean,
    ): Promise<void> {
      const pieces = isCompressed
        ? [await gzipText(text)]
        : typeof text === 'string'
          ? []
          : text.pieces
      const size = pieces.reduce((sum, { length }) => sum + length, 0)
      const encoding = isCompressed ? 'Content-Encoding: gzip\r\n' : ''
      // Small chunks are sent in one system call with the next ones, not each in its own.
      socket.cork()
      socket.write(headOf(isUnauthorized, size, isLast(), encoding), 'latin1')
      for (const piece of pieces) {
        if (socket.destroyed) return
        if (socket.write(piece)) continue
        socket.uncork()
        await drained()
        socket.cork()
      }
      socket.uncork()
    }

    function goOn(): void {
      connection.isBusy = false
      if (waiting.length === 0) {
        if (isLast()) socket.end()
        return
      }
      const bytes = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting)
      waiting = []
      socket.resume()
      take(bytes)
    }

    function finish(given: Answer, request: PlainRequest): void {
      if (socket.destroyed) return
      const sent = send(given, request)
      if (sent === true) goOn()
      else void sent.then(goOn, destroy)
    }

    function take(bytes: Buffer): void {
      const request = read(bytes)
      const isWhole = request !== undefined && bytes.length === request.bodyAt + request.bodyLength
      if (!isWhole || !isServed(request)) {
        handOver(bytes)
        return
      }
      connection.isBusy = true
      const body = textOf(bytes.subarray(request.bodyAt))
      const given = body === undefined ? PARSE_FAILURE : answer(body, request)
      if (given instanceof Promise) void given.then((later) => finish(later, request), destroy)
      else finish(given, request)
    }

    function onData(bytes: Buffer): void {
      if (!connection.isBusy) {
        take(bytes)
        return
      }
      waiting.push(bytes)
      if (waiting.reduce((sum, { length }) => sum + length, 0) > MOST_WAITING) socket.pause()
    }

    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
    socket.on('data', onData).on('end', endSoon).on('timeout', destroy).on('error', destroy)
    socket.setTimeout(Math.min(headersTimeout, keepAlive))
    socket.once('data', () => {
      if (connections.has(connection)) socket.setTimeout(keepAlive)
    })
  }

  server.removeAllListeners('connection')
  server.on('connection', serve)
  const closeIdle = server.closeIdleConnections.bind(server)
  const closeAll = server.closeAllConnections.bind(server)
  server.closeIdleConnections = () => {
    for (const connection of connections) connection.endSoon()
    closeIdle()
  }
  server.closeAllConnections = () => {
    for (const { socket } of connections) socket.destroy()
    closeAll()
  }
}
