import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createGate, GATE_LIMITS, type Gate } from './gate.ts'

let server: Server
const clients: Socket[] = []

/** A server behind a gate; resolves with the connections that passed it. */
async function open(
  changes: Partial<typeof GATE_LIMITS>,
): Promise<{ gate: Gate; inside: Socket[] }> {
  const gate = createGate({ ...GATE_LIMITS, ...changes })
  const inside: Socket[] = []
  server = createServer((socket) => {
    inside.push(socket)
    gate.enter(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { gate, inside }
}

/** Connects from an address of the loopback network. */
async function knock(from = '127.0.0.1'): Promise<{ socket: Socket; closed: Promise<string> }> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  clients.push(socket)
  let said = ''
  socket.on('data', (chunk) => (said += String(chunk)))
  const closed = once(socket, 'close').then(() => said)
  await once(socket, 'connect')
  return { socket, closed }
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await new Promise((resolve) => server.close(resolve))
})

// Holds D74.
test('one address holds so many connections that have not logged in, others are not affected', async () => {
  const { gate, inside } = await open({ strangersPerAddress: 2 })
  const first = await knock()
  await knock()
  expect(await (await knock()).closed).toContain('503')
  const other = await knock('127.0.0.2')
  await expect.poll(() => inside.length).toBe(4)
  expect(other.socket.destroyed).toBe(false)
  // A login makes room, and so does an end.
  gate.loggedIn(inside[0] as Socket)
  await knock()
  expect(await (await knock()).closed).toContain('503')
  expect(first.socket.destroyed).toBe(false)
})

test('one address holds so many connections at all', async () => {
  const { gate, inside } = await open({ perAddress: 2 })
  const first = await knock()
  await knock()
  await expect.poll(() => inside.length).toBe(2)
  for (const socket of inside) gate.loggedIn(socket)
  expect(await (await knock()).closed).toContain('503')
  first.socket.destroy()
  await once(inside[0] as Socket, 'close')
  const last = await knock()
  await expect.poll(() => inside.length).toBe(4)
  expect(last.socket.destroyed).toBe(false)
})

test('where too many have not logged in, the oldest makes room', async () => {
  const { inside } = await open({ strangers: 2 })
  const oldest = await knock('127.0.0.3')
  await expect.poll(() => inside.length).toBe(1)
  await knock('127.0.0.4')
  await expect.poll(() => inside.length).toBe(2)
  const newest = await knock('127.0.0.5')
  await oldest.closed
  expect(newest.socket.destroyed).toBe(false)
})

test('whoever has not logged in in time is disconnected, whoever has may stay', async () => {
  const { gate, inside } = await open({ loginMs: 300 })
  const slow = await knock()
  const quick = await knock()
  await expect.poll(() => inside.length).toBe(2)
  gate.loggedIn(inside[1] as Socket)
  await slow.closed
  expect(quick.socket.destroyed).toBe(false)
})

test('logins of one address are limited in number', async () => {
  const { gate } = await open({ logins: 2, loginsPerSecond: 0.001 })
  expect([1, 2, 3].map(() => gate.mayLogIn('203.0.113.7'))).toEqual([true, true, false])
  expect(gate.mayLogIn('::ffff:203.0.113.7')).toBe(false)
  expect(gate.mayLogIn('203.0.113.8')).toBe(true)
})
