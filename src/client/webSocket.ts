/** Requests and subscriptions over a WebSocket. */
import { requestText, resultOf, type Answer, type Transport } from './request.ts'

/** A transport that also receives notifications. */
export type WebSocketTransport = Transport & {
  /** Subscribes, with the parameters of eth_subscribe; the returned function ends the subscription. */
  subscribe(
    params: readonly unknown[],
    listener: (result: unknown) => void,
  ): Promise<() => Promise<void>>
  close(): void
}

/** The part of WebSocket that is used, so that platforms without it can supply their own. */
export type Socket = {
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'close', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

export type WebSocketOptions = {
  /** Opens a connection; by default with the platform's WebSocket. */
  readonly open?: (url: string) => Socket
}

type Waiting = {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type Notification = {
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: unknown }
}

function openPlatformSocket(url: string): Socket {
  const { WebSocket: Platform } = globalThis as { WebSocket?: new (url: string) => Socket }
  if (Platform === undefined)
    throw new TypeError('this platform has no WebSocket: pass `open`, for example with npm ws')
  return new Platform(url)
}

/** Connects. Rejects when the connection can't be opened; once it is lost, so do all requests. */
export async function webSocket(
  url: string,
  { open = openPlatformSocket }: WebSocketOptions = {},
): Promise<WebSocketTransport> {
  const socket = open(url)
  const waiting = new Map<unknown, Waiting>()
  const listeners = new Map<unknown, (result: unknown) => void>()
  let lastId = 0
  let isLost = false

  function settle(answer: Answer): void {
    const request = waiting.get(answer.id)
    waiting.delete(answer.id)
    try {
      request?.resolve(resultOf(answer))
    } catch (error) {
      request?.reject(error)
    }
  }

  const lost = () => new Error(`the connection to ${url} is lost`)
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Answer & Notification
    if (message.method === 'eth_subscription')
      listeners.get(message.params?.subscription)?.(message.params?.result)
    else settle(message)
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('close', () => {
      isLost = true
      reject(lost())
      for (const request of waiting.values()) request.reject(lost())
      waiting.clear()
    })
  })

  /** `onResult` is called synchronously: the next message may be about the result. */
  function send(
    method: string,
    params: readonly unknown[],
    onResult: (result: unknown) => void,
  ): Promise<unknown> {
    if (isLost) return Promise.reject(lost())
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const hear = (result: unknown): void => {
        onResult(result)
        resolve(result)
      }
      waiting.set(id, { resolve: hear, reject })
      socket.send(requestText(id, method, params))
    })
  }

  const request: Transport['request'] = (method, params) => send(method, params, () => undefined)

  return {
    request,
    async subscribe(params, listener) {
      const id = await send('eth_subscribe', params, (result) => listeners.set(result, listener))
      return async () => {
        listeners.delete(id)
        await request('eth_unsubscribe', [id])
      }
    },
    close: () => socket.close(),
  }
}
