import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { BACKLOG_LIMITS, createBacklogs, type Backlog, type Backlogs } from './backlog.ts'

let server: Server
let backlogs: Backlogs
const inside: { socket: WebSocket; backlog: Backlog }[] = []
const outside: (Socket | WebSocket)[] = []

async function open(changes: Partial<typeof BACKLOG_LIMITS>): Promise<void> {
  backlogs = createBacklogs({ ...BACKLOG_LIMITS, ...changes })
  const sockets = new WebSocketServer({ noServer: true })
  server = createServer()
  server.on('upgrade', (request, network, head) => {
    sockets.handleUpgrade(request, network, head, (socket) => {
      inside.push({ socket, backlog: backlogs.follow(socket, request.socket) })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
}

afterEach(async () => {
  for (const each of outside.splice(0))
    if (each instanceof WebSocket) each.terminate()
    else each.destroy()
  for (const { socket } of inside.splice(0)) socket.terminate()
  backlogs.stop()
  await new Promise((resolve) => server.close(resolve))
})

const port = (): number => (server.address() as AddressInfo).port

/** A client that has announced a frame of `size` bytes and sent the first `sent` of them; resolves with its end. */
async function announce(
  size: number,
  sent: number,
): Promise<{ end: Promise<Buffer>; rest(): void }> {
  const socket = connect(port(), '127.0.0.1')
  outside.push(socket)
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  const header = Buffer.alloc(14)
  header.set([0x81, 0xff])
  header.writeBigUInt64BE(BigInt(size), 2)
  socket.write(header)
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  const end = new Promise<Buffer>((resolve) => {
    // The close frame of the server, whether or not it ends the connection by then.
    socket.once('data', () => setImmediate(() => resolve(Buffer.concat(heard))))
    socket.once('close', () => resolve(Buffer.concat(heard)))
  })
  socket.write(Buffer.alloc(sent, 0x31))
  return { end, rest: () => socket.write(Buffer.alloc(size - sent, 0x31)) }
}

/** The code of a close frame of a server. */
const codeOf = (frame: Buffer): number => frame.readUInt16BE(2)

// Holds D74.
test('before the login, a message that announces too much ends the connection before it has come', async () => {
  await open({ loginBytes: 1000 })
  const { end } = await announce(1001, 0)
  expect(codeOf(await end)).toBe(1009)
})

test('after the login it may be larger', async () => {
  await open({ loginBytes: 1000 })
  const client = new WebSocket(`ws://127.0.0.1:${port()}`)
  outside.push(client)
  await once(client, 'open')
  const [{ socket, backlog } = {}] = inside
  backlog?.loggedIn()
  const arrived = once(socket as WebSocket, 'message')
  client.send('x'.repeat(100_000))
  await arrived
})

test('a message that does not end is given up', async () => {
  await open({ messageMs: 200 })
  const { end } = await announce(1000, 999)
  expect(codeOf(await end)).toBe(1013)
})

test('when unfinished messages take too much together, the oldest is given up, and the others go on', async () => {
  await open({ bytes: 150_000 })
  const oldest = await announce(100_000, 90_000)
  await expect.poll(() => inside.length).toBe(1)
  const newer = await announce(100_000, 90_000)
  expect(codeOf(await oldest.end)).toBe(1013)
  const arrived = once(inside[1]?.socket as WebSocket, 'message')
  newer.rest()
  await arrived
})

test('a message counts until it is handled', async () => {
  await open({ bytes: 150_000 })
  const client = new WebSocket(`ws://127.0.0.1:${port()}`)
  outside.push(client)
  await once(client, 'open')
  const [{ backlog } = {}] = inside
  backlog?.arrived(140_000)
  const { end } = await announce(100_000, 90_000)
  expect(codeOf(await end)).toBe(1013)
  backlog?.handled(140_000)
  const next = await announce(100_000, 90_000)
  const arrived = once(inside[2]?.socket as WebSocket, 'message')
  next.rest()
  await arrived
})
