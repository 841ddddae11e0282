import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { limitConnections } from './fairConnections.ts'

async function start(limit: number) {
  const server = createServer((socket) => socket.on('error', () => undefined).write('hello'))
  limitConnections(server, limit)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  /** Whether the server keeps a connection from this loopback address: then it says hello. */
  return async (from: string): Promise<Socket | undefined> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    const isKept = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ])
    return isKept ? socket.resume() : undefined
  }
}

// Holds D82.
test.runIf(process.platform === 'linux')(
  'an address that takes all connections loses its oldest to others, and gets no more itself',
  async () => {
    const open = await start(4)
    const flood: (Socket | undefined)[] = []
    for (let count = 0; count < 4; count++) flood.push(await open('127.0.0.1'))
    expect(flood.every((socket) => socket !== undefined)).toBe(true)
    expect(await open('127.0.0.1')).toBeUndefined()
    const gone = flood.slice(0, 2).map(async (socket) => once(socket as Socket, 'close'))
    expect(await open('127.0.0.2')).toBeDefined()
    expect(await open('127.0.0.3')).toBeDefined()
    await Promise.all(gone)
    expect(flood.slice(2).map((socket) => socket?.destroyed)).toEqual([false, false])
    // It has two, the others one each.
    expect(await open('127.0.0.1')).toBeUndefined()
  },
)

test('one that ends makes way', async () => {
  const open = await start(1)
  const first = await open('127.0.0.1')
  expect(await open('127.0.0.1')).toBeUndefined()
  first?.destroy()
  await expect.poll(async () => (await open('127.0.0.1')) !== undefined).toBe(true)
})

test('a client of HTTP that is refused reads why, and its request is not carried out', async () => {
  let requests = 0
  const server = createHttpServer((_request, response) => {
    requests++
    response.end('served')
  })
  limitConnections(server, 1)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const kept = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void kept.destroy())
  await once(server, 'connection')
  const response = await fetch(`http://127.0.0.1:${port}`)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.text()).toBe('too many connections\n')
  expect(requests).toBe(0)
})
