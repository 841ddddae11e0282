/** CometBFT's side of an ABCI socket, by generated code: writes requests, reads responses. */
import net from 'node:net'
import { once } from 'node:events'
import * as cosmjs from 'cosmjs-types/tendermint/abci/types'
import { createFrameReader, encodeFrame } from '../../src/consensus/abci/frames.ts'

export type AbciClient = {
  /** Sends requests in one write. */
  send(...requests: readonly object[]): void
  /** Sends bytes as they are. */
  sendRaw(bytes: Uint8Array): void
  /** The next response; undefined once the connection is closed. */
  next(): Promise<cosmjs.Response | undefined>
  /** Everything that arrives until the other side closes. */
  rest(): Promise<readonly cosmjs.Response[]>
  close(): void
}

/** The bytes of a length-prefixed request. */
export function requestFrame(request: object): Uint8Array {
  return encodeFrame(cosmjs.Request.encode(cosmjs.Request.fromPartial(request)).finish())
}

/** Connects to a server at "unix:///path" or "tcp://host:port". */
export async function connectAbci(url: string): Promise<AbciClient> {
  const { protocol, pathname, hostname, port } = new URL(url)
  const socket = protocol === 'unix:' ? net.connect(pathname) : net.connect(Number(port), hostname)
  await once(socket, 'connect')
  const frames = createFrameReader()
  const waiting: ((response: cosmjs.Response | undefined) => void)[] = []
  const received: cosmjs.Response[] = []
  let isClosed = false
  socket.on('data', (chunk) => {
    for (const frame of frames.push(chunk)) {
      const response = cosmjs.Response.decode(frame)
      const waiter = waiting.shift()
      if (waiter === undefined) received.push(response)
      else waiter(response)
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
    for (const waiter of waiting.splice(0)) waiter(undefined)
  })
  const next = (): Promise<cosmjs.Response | undefined> => {
    const response = received.shift()
    if (response !== undefined || isClosed) return Promise.resolve(response)
    return new Promise((resolve) => waiting.push(resolve))
  }
  return {
    send: (...requests) => {
      for (const request of requests) socket.write(requestFrame(request))
    },
    sendRaw: (bytes) => socket.write(bytes),
    next,
    async rest() {
      const all: cosmjs.Response[] = []
      for (let response = await next(); response; response = await next()) all.push(response)
      return all
    },
    close: () => socket.destroy(),
  }
}
