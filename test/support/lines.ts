/** Connections that send messages and collect the responses: WebSocket and the IPC socket. */
import net from 'node:net'
import { WebSocket } from 'ws'

export type Line = {
  send(text: string): void
  /** Called with each message. */
  onMessage: (text: string) => void
  close(): void
}

/** A WebSocket, once it is open. */
export async function openWebSocket(url: string): Promise<Line> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const line: Line = {
    send: (text) => socket.send(text),
    onMessage: () => undefined,
    close: () => socket.terminate(),
  }
  socket.on('message', (data: Buffer) => line.onMessage(data.toString()))
  return line
}

/** The socket of a home; one message per line. */
export async function openIpc(path: string): Promise<Line> {
  const socket = net.connect(path)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const line: Line = {
    send: (text) => void socket.write(text),
    onMessage: () => undefined,
    close: () => socket.destroy(),
  }
  let parts: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      line.onMessage(Buffer.concat([...parts, chunk.subarray(from, end)]).toString())
      parts = []
      from = end + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  })
  return line
}
