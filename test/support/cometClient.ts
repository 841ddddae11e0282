/** A client of the consensus RPC's WebSocket that reads messages one at a time. */
import { once } from 'node:events'
import { WebSocket } from 'ws'

export type CometMessage = {
  readonly id?: unknown
  readonly result?: {
    readonly query?: string
    readonly data?: { readonly type: string; readonly value: Record<string, unknown> }
    readonly events?: Record<string, readonly string[]>
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

export type CometClient = {
  readonly socket: WebSocket
  send(message: unknown): void
  /** The next message in order. */
  next(): Promise<CometMessage>
  call(method: string, params: unknown, id?: unknown): Promise<CometMessage>
}

/** Opens it at a port of 127.0.0.1. */
export async function openCometClient(port: number): Promise<CometClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/websocket`)
  const received: CometMessage[] = []
  const waiting: ((message: CometMessage) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as CometMessage
    const taker = waiting.shift()
    if (taker === undefined) received.push(message)
    else taker(message)
  })
  await once(socket, 'open')
  const send = (message: unknown): void =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  const next = (): Promise<CometMessage> => {
    const message = received.shift()
    return message === undefined
      ? new Promise((resolve) => waiting.push(resolve))
      : Promise.resolve(message)
  }
  return {
    socket,
    send,
    next,
    call(method, params, id = 1) {
      send({ jsonrpc: '2.0', id, method, params })
      return next()
    },
  }
}
