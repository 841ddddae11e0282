/** One WebSocket connection: requests one after another, events of its subscriptions in between. */
import type { WebSocket } from 'ws'
import { messageOf } from '../../base/errors.ts'
import { bytesOfMessage } from '../../base/socketMessage.ts'
import { ArgumentError } from '../argument.ts'
import { eventResultText } from '../encode/event.ts'
import { parseGoJson } from '../goJson.ts'
import type { CometCaller, EventSink } from '../method.ts'
import { type CallContext, runCall } from './call.ts'
import {
  type CometRequest,
  errorReply,
  lacksParams,
  readParams,
  readRequest,
  resultReply,
  TOO_FEW_ARGUMENTS,
  URI_REQUEST_ID,
} from './envelope.ts'
import type { CometLimits } from './limits.ts'
import { openSocketWriter, type SocketWriter } from './socketWriter.ts'

export type WebSocketContext = CallContext & { readonly limits: CometLimits }

/** Number of events of one subscription queued for its reader, and the block of the last one. */
type Backlog = { waiting: number; height: number }

function eventSink({ limits, log }: WebSocketContext, writer: SocketWriter): EventSink {
  const backlogs = new Map<string, Backlog>()
  return {
    sendEvent({ id, query, height }, event) {
      // Subscriptions of one connection may share an id, but not a query.
      const key = `${id} ${query}`
      const backlog = backlogs.get(key) ?? { waiting: 0, height: 0 }
      // A block with a thousand transactions is not the reader's fault: what counts is how much is still queued at the
      // next one.
      const isSlow = backlog.waiting >= limits.subscriptionBuffer && backlog.height !== height
      if (isSlow || writer.bufferedBytes() > limits.socketBufferBytes) return false
      let result: string
      try {
        result = eventResultText(query, event)
      } catch (error) {
        // If thrown further, it would reach the engine, which is not to blame.
        log.error({ err: error }, 'consensus RPC: an event could not be written')
        return true
      }
      backlog.waiting++
      backlog.height = height
      backlogs.set(key, backlog)
      void writer.send(resultReply(id, result)).then(() => {
        backlog.waiting--
        if (backlog.waiting === 0) backlogs.delete(key)
      })
      return true
    },
    sendCancellation(id, reason) {
      const data = `subscription was canceled (reason: ${reason})`
      void writer.send(errorReply(id, { kind: 'server', data }))
    },
  }
}

/**
 * The reply to one message; undefined for a notification, which is skipped. A promise only where the handler returns
 * one.
 */
function reply(
  context: WebSocketContext,
  message: string,
  caller: Omit<CometCaller, 'id'>,
): string | undefined | Promise<string> {
  let request: CometRequest
  try {
    request = readRequest(parseGoJson(message))
  } catch (error) {
    const data = `error unmarshaling request: ${messageOf(error)}`
    return errorReply(undefined, { kind: 'parse', data })
  }
  const { id, method: name, params } = request
  if (id === undefined) return undefined
  const method = context.table.get(name)
  if (method === undefined) return errorReply(id, { kind: 'methodNotFound', data: '' })
  if (lacksParams(method, params)) {
    return errorReply(URI_REQUEST_ID, {
      kind: 'internal',
      data: `WSJSONRPC: ${TOO_FEW_ARGUMENTS}`,
    })
  }
  let args: Readonly<Record<string, unknown>>
  try {
    args = readParams(method, params)
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    const data = `error converting json params to arguments: ${error.message}`
    return errorReply(id, { kind: 'internal', data })
  }
  const outcome = runCall(context, name, method, args, { ...caller, id })
  const text = (done: Awaited<typeof outcome>): string =>
    done.ok ? resultReply(id, done.result) : errorReply(id, done.fault)
  return outcome instanceof Promise ? outcome.then(text) : text(outcome)
}

/** Serves a connection until it closes. `remote` identifies the client where subscriptions are counted. */
export function serveWebSocket(context: WebSocketContext, socket: WebSocket, remote: string): void {
  const { limits, log, services } = context
  const writer = openSocketWriter(socket, limits.writeTimeoutMs)
  const gone = new AbortController()
  const caller = { remote, events: eventSink(context, writer), signal: gone.signal }

  const inbox: string[] = []
  let busy = false
  const work = async (): Promise<void> => {
    busy = true
    // While requests are queued, no more are read; what the kernel cannot buffer waits at the client.
    socket.pause()
    for (let message = inbox.shift(); message !== undefined; message = inbox.shift()) {
      const text = reply(context, message, caller)
      if (text instanceof Promise) await writer.send(await text)
      else if (text !== undefined) await writer.send(text)
    }
    busy = false
    socket.resume()
  }

  const silence = setTimeout(() => socket.terminate(), limits.silenceMs)
  const ping = setInterval(() => socket.ping(), limits.pingIntervalMs)
  socket.on('ping', () => silence.refresh())
  socket.on('pong', () => silence.refresh())
  socket.on('message', (data) => {
    silence.refresh()
    inbox.push(bytesOfMessage(data).toString())
    if (busy) return
    work().catch((error: unknown) => {
      log.error({ err: error }, 'consensus RPC: a WebSocket failed')
      socket.terminate()
    })
  })
  socket.on('error', (error) => log.debug({ err: error, remote }, 'consensus RPC: WebSocket error'))
  socket.once('close', () => {
    clearTimeout(silence)
    clearInterval(ping)
    inbox.length = 0
    services.subscriptions.forget(remote)
    gone.abort()
  })
}
