/**
 * Floods of a dispatcher by strangers: unfinished frames, frames of nothing but brackets, connections that stay open halfway,
 * logins, submissions and batches without a token. Honest work goes on meanwhile, the event loop and the memory are measured,
 * and printed. ASSAY_TORTURE_RUNS says how many times as much (1).
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestDispatcher, startTestPostgres, type TestPostgres } from '../support/dispatcher.ts'
import { forkDispatcher, type DispatcherProcess, type Taken } from '../support/dispatcherProcess.ts'
import { connectOperator } from '../support/scriptedOperator.ts'

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 1)
const MIB = 2 ** 20
const MAX_STRETCH_MS = 200
const MAX_GROWTH_MIB = 150
const MODEL = 'tiny.gguf'

let postgres: TestPostgres
let dispatcher: DispatcherProcess
let project: string
let token: string
let before: Taken

beforeAll(async () => {
  postgres = await startTestPostgres()
  const first = await startTestDispatcher(postgres, 'floods')
  ;({ project, token } = first)
  await first.close()
  dispatcher = await forkDispatcher(first.options)
  await honestJob()
  before = await dispatcher.measure()
})
afterAll(async () => {
  await dispatcher.stop()
  await postgres.stop()
})

const post = (path: string, body: string): Promise<Response> =>
  fetch(`http://${dispatcher.httpAddress}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

/** Submits a job and has it done. Resolves with the milliseconds that it took. */
async function honestJob(): Promise<number> {
  const began = performance.now()
  const operator = await connectOperator(dispatcher, { models: [MODEL] })
  const job = { tag: 'opml', prompt: 'honest', model: MODEL }
  const body = JSON.stringify({ from: project, verify: token, job })
  expect((await post('/api/job/submit', body)).status).toBe(200)
  operator.send(await operator.answer(await operator.next('dispatch')))
  await operator.next('recorded')
  operator.socket.close()
  await operator.closed
  return performance.now() - began
}

/** Runs a flood with an honest job in the middle of it, and prints what it took. */
async function flooded(name: string, flood: () => Promise<void>): Promise<void> {
  await dispatcher.measure()
  const running = flood()
  const ms = await honestJob()
  await running
  const taken = await dispatcher.measure()
  const growth = taken.peakMiB - before.restMiB
  console.warn(
    `${name}: longest stretch ${taken.stretchMs.toFixed(0)} ms, at most ${growth.toFixed(0)} MiB more, an honest job ${ms.toFixed(0)} ms`,
  )
  expect(taken.stretchMs).toBeLessThan(MAX_STRETCH_MS)
  expect(growth).toBeLessThan(MAX_GROWTH_MIB)
}

const closedOf = (socket: WebSocket | Socket): Promise<unknown> => {
  socket.on('error', () => undefined)
  return new Promise((resolve) => void socket.once('close', resolve))
}
const operatorPort = (): number => Number(dispatcher.operatorAddress.split(':')[1])

/** A connection to the operators' port from an address of the loopback network. */
function dial(from: string): Socket {
  return connect({ port: operatorPort(), host: '127.0.0.1', localAddress: from }).resume()
}

// Holds D74.
test('sixty unfinished frames of 16 MB hold next to nothing, and not for long', async () => {
  await flooded('unfinished frames', async () => {
    const ends = Array.from({ length: 60 * RUNS }, async (_, at) => {
      const socket = dial(`127.0.1.${1 + (at % 8)}`)
      const closed = closedOf(socket)
      socket.write(
        'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      const header = Buffer.alloc(14)
      header.set([0x81, 0xff])
      header.writeBigUInt64BE(BigInt(16 * MIB), 2)
      socket.write(header)
      for (let sent = 0; sent < 15 && !socket.destroyed; sent++)
        if (!socket.write(Buffer.alloc(MIB, 0x20)))
          await Promise.race([once(socket, 'drain').catch(() => 0), closed])
      await closed
    })
    await Promise.all(ends)
  })
})

test('frames of nothing but brackets are refused before they are parsed', async () => {
  await flooded('frames of brackets', async () => {
    for (let at = 0; at < 10 * RUNS; at++) {
      const socket = new WebSocket(`ws://${dispatcher.operatorAddress}/ws`)
      const closed = closedOf(socket)
      await once(socket, 'open')
      socket.send('['.repeat((at % 2 === 0 ? 16 : 0.1) * MIB))
      await closed
    }
  })
})

test('connections that stay open halfway are gone after ten seconds, and do not keep others out', async () => {
  await flooded('half-open connections', async () => {
    const began = performance.now()
    const heads = [
      '',
      'GET /ws HTTP/1.1\r\n',
      'GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nHost: x\r\n',
    ]
    const sockets = Array.from({ length: 30 * RUNS }, (_, at) => {
      const socket = dial(`127.0.2.${1 + (at % 8)}`)
      socket.write(heads[at % heads.length] ?? '')
      return closedOf(socket)
    })
    await Promise.all(sockets)
    expect(performance.now() - began).toBeLessThan(12_000)
  })
})

test('one address that logs in again and again is slowed', async () => {
  await flooded('logins', async () => {
    let admitted = 0
    const began = performance.now()
    const attempts = Array.from({ length: 300 * RUNS }, async (_, at) => {
      // A few at a time: one address may not have many connections that are not logged in.
      await new Promise((resolve) => setTimeout(resolve, at * 5))
      const operator = await connectOperator(dispatcher, {
        privateKey: randomBytes(32),
        models: ['none.gguf'],
        localAddress: '127.0.3.1',
      }).catch(() => undefined)
      if (operator === undefined) return
      admitted++
      operator.socket.terminate()
    })
    await Promise.all(attempts)
    expect(admitted).toBeGreaterThan(0)
    expect(admitted).toBeLessThanOrEqual(201 + (20 * (performance.now() - began)) / 1000)
  })
})

test('submissions and batches without a token cost little, however large', async () => {
  const megabyte = JSON.stringify({
    from: project,
    jobs: Array.from({ length: 300_000 }, () => ({})),
  })
  await flooded('submissions without a token', async () => {
    for (let at = 0; at < 15 * RUNS; at++) {
      const replies = await Promise.all([
        ...Array.from({ length: 20 }, () => post('/api/job/submit', '{"from":"x","verify":"y"}')),
        post('/api/job/batch', megabyte),
        post('/api/job/submit', megabyte),
        post('/api/job/batch', `{"x":"${'x'.repeat(16 * MIB)}"}`).catch(() => ({ status: 401 })),
      ])
      for (const { status } of replies) expect([400, 401, 413, 503]).toContain(status)
    }
  })
})
