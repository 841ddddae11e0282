import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { IpcSocketProvider } from 'ethers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestServers, type TestServers } from '../../test/support/jsonRpc.ts'
import { waitFor } from '../../test/support/waitFor.ts'

let home: string
let ipcPath: string
let servers: TestServers | undefined

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-ipc-'))
  ipcPath = path.join(home, 'assay.ipc')
})
afterEach(async () => {
  await servers?.close()
  servers = undefined
  fs.rmSync(home, { recursive: true })
})

async function start(): Promise<TestServers> {
  servers = await startTestServers({ ipcPath, namespaces: ['test'] })
  return servers
}

async function talk(
  ...chunks: string[]
): Promise<{ socket: net.Socket; lines(count: number): Promise<unknown[]> }> {
  const socket = net.connect(ipcPath)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  for (const chunk of chunks) socket.write(chunk)
  return {
    socket,
    async lines(count) {
      await waitFor(() => expect(text.split('\n').length - 1).toBe(count))
      return text
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line))
    },
  }
}

const call = (method: string, id: number): string => JSON.stringify({ jsonrpc: '2.0', id, method })

test('only the owner can open the socket, and through it private methods need no token', async () => {
  await start()
  expect(fs.statSync(ipcPath).mode & 0o777).toBe(0o600)
  const client = await talk(call('personal_who', 1))
  expect(await client.lines(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'ipc' }])
})

test('requests may follow each other without anything between, be cut anywhere, and see blocks as Ethereum tools read them', async () => {
  await start()
  const both = call('test_profile', 1) + call('personal_who', 2)
  const client = await talk(both.slice(0, 30), both.slice(30))
  expect(await client.lines(2)).toMatchObject([
    { id: 1, result: 'ethereum' },
    { id: 2, result: 'ipc' },
  ])
})

test('notifications come over the socket too', async () => {
  const { world } = await start()
  const client = await talk(call('test_subscribe', 1))
  await client.lines(2)
  world.publish('second')
  expect((await client.lines(3)).slice(1)).toMatchObject([
    { params: { result: 'first' } },
    { params: { result: 'second' } },
  ])
})

test('JSON that a method writes itself comes on one line', async () => {
  await start()
  const body = { jsonrpc: '2.0', id: 1, method: 'test_raw', params: [200_000] }
  const client = await talk(JSON.stringify(body))
  expect(await client.lines(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'x'.repeat(200_000) }])
})

test("ethers' IPC provider works", async () => {
  await start()
  const provider = new IpcSocketProvider(ipcPath, 1, { staticNetwork: true })
  expect(await provider.send('test_echo', ['hi'])).toBe('hi')
  provider.destroy()
})

test('garbage is answered, an endless message ends its connection', async () => {
  servers = await startTestServers({ ipcPath, bodyLimit: 1000 })
  const client = await talk('[}')
  expect(await client.lines(1)).toMatchObject([{ error: { code: -32700 } }])
  client.socket.write(`["${'x'.repeat(2000)}`)
  await once(client.socket, 'end')
  expect((await client.lines(2))[1]).toMatchObject({ error: { code: -32600 } })
})

test('a socket that a crash left behind is replaced, one in use and other files are not', async () => {
  const { close } = await start()
  await expect(startTestServers({ ipcPath })).rejects.toThrow('another process serves')
  await close()
  const leftover = net.createServer()
  leftover.listen(ipcPath)
  await once(leftover, 'listening')
  fs.linkSync(ipcPath, `${ipcPath}.kept`)
  leftover.close()
  await once(leftover, 'close')
  fs.renameSync(`${ipcPath}.kept`, ipcPath)
  await start()
  await servers?.close()
  fs.writeFileSync(ipcPath, 'precious')
  await expect(startTestServers({ ipcPath })).rejects.toThrow('in the way of')
  expect(fs.readFileSync(ipcPath, 'utf8')).toBe('precious')
})

test('a path that the system would cut off is refused', async () => {
  await expect(startTestServers({ ipcPath: path.join(home, 'x'.repeat(120)) })).rejects.toThrow(
    'longer than',
  )
})
