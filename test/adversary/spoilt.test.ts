/**
 * Spoilt messages to each end of the sockets between dispatcher and operators, before and after the login: connections end with
 * the documented codes, and nothing else does. 100 messages to each, or as many times ASSAY_TORTURE_RUNS (30; 1,000 is the full
 * form, 100,000 messages); ASSAY_FUZZ_SEED (0) says which.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { openSession } from '../../src/jobs/operator/session.ts'
import * as protocol from '../../src/jobs/protocol.ts'
import { startTestDispatcher, startTestPostgres, type TestPostgres } from '../support/dispatcher.ts'
import { forkDispatcher, type DispatcherProcess } from '../support/dispatcherProcess.ts'
import { connectOperator } from '../support/scriptedOperator.ts'
import { spoiltOf } from './hostile.ts'

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 30)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 0)
const MESSAGES = RUNS * 100
const TIMEOUT_MS = Math.max(180_000, MESSAGES * 50)
const AT_ONCE = 16
const MAX_GROWTH_MIB = 100
const { unauthenticated, version, malformed } = protocol.CLOSE
/** 1006 is a connection whose last message crossed the end: the code was not read any more. */
const DOCUMENTED = new Set<number>([unauthenticated, version, malformed, 1006, 1009])

let postgres: TestPostgres
let dispatcher: DispatcherProcess

beforeAll(async () => {
  postgres = await startTestPostgres()
  const first = await startTestDispatcher(postgres, 'spoilt')
  await first.close()
  dispatcher = await forkDispatcher(first.options)
})
afterAll(async () => {
  await dispatcher.stop()
  await postgres.stop()
})

const OF_OPERATORS = [protocol.hello, protocol.result, protocol.refused, protocol.heartbeat]
const OF_DISPATCHERS = [protocol.challenge, protocol.welcome, protocol.dispatch, protocol.rejected]

/** Runs a task for each message, a few at a time; resolves with how many ended with each code. */
async function withEach(
  schemas: readonly Parameters<typeof spoiltOf>[0][number][],
  count: number,
  task: (message: string | Buffer, at: number) => Promise<number>,
): Promise<Record<string, number>> {
  const codes: Record<string, number> = {}
  const spoilt = spoiltOf(schemas)
  for (let at = 0; at < count; at += AT_ONCE) {
    const messages = fc.sample(spoilt, { numRuns: Math.min(AT_ONCE, count - at), seed: SEED + at })
    for (const code of await Promise.all(messages.map((each, n) => task(each, at + n))))
      codes[code] = (codes[code] ?? 0) + 1
  }
  return codes
}

const codeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => void socket.once('close', resolve))

test(
  'strangers who spoil messages to the dispatcher are shown the door, and take nothing with them',
  async () => {
    const before = await dispatcher.measure()
    const codes = await withEach(OF_OPERATORS, MESSAGES, async (message) => {
      const socket = new WebSocket(`ws://${dispatcher.operatorAddress}/ws`)
      socket.on('error', () => undefined)
      const code = codeOf(socket)
      await once(socket, 'message')
      socket.send(message)
      return code
    })
    const after = await dispatcher.measure()
    console.warn(
      `before the login: ${MESSAGES} messages, ends ${JSON.stringify(codes)}, longest stretch ${after.stretchMs.toFixed(0)} ms, ${(after.restMiB - before.restMiB).toFixed(0)} MiB more`,
    )
    expect(Object.keys(codes).filter((code) => !DOCUMENTED.has(Number(code)))).toEqual([])
    expect(after.stretchMs).toBeLessThan(200)
    expect(after.restMiB - before.restMiB).toBeLessThan(MAX_GROWTH_MIB)
  },
  TIMEOUT_MS,
)

test(
  'operators who spoil messages to the dispatcher are shown the door, too',
  async () => {
    const before = await dispatcher.measure()
    // A login takes longer than a message.
    const count = MESSAGES / 10
    const codes = await withEach(OF_OPERATORS, count, async (message, at) => {
      const { socket, closed } = await connectOperator(dispatcher, {
        models: ['none.gguf'],
        // One address may log in only so many times.
        localAddress: `127.0.${1 + (at % 250)}.${1 + (Math.floor(at / 250) % 250)}`,
      })
      socket.on('error', () => undefined)
      socket.send(message)
      socket.send('{')
      return closed
    })
    const after = await dispatcher.measure()
    console.warn(
      `after the login: ${count} messages, ends ${JSON.stringify(codes)}, longest stretch ${after.stretchMs.toFixed(0)} ms, ${(after.restMiB - before.restMiB).toFixed(0)} MiB more`,
    )
    expect(Object.keys(codes).filter((code) => !DOCUMENTED.has(Number(code)))).toEqual([])
    expect(after.stretchMs).toBeLessThan(200)
    expect(after.restMiB - before.restMiB).toBeLessThan(MAX_GROWTH_MIB)
  },
  TIMEOUT_MS,
)

test(
  'a dispatcher that spoils messages to an operator gets no login out of it',
  async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.setMaxListeners(AT_ONCE)
    const key = new Uint8Array(32).fill(0x61)
    const codes = await withEach(OF_DISPATCHERS, MESSAGES, async (message, at) => {
      const ended = new Promise<number>((resolve) => {
        const greet = (socket: WebSocket, { url }: { url?: string }): void => {
          if (url !== `/${at}`) return
          server.off('connection', greet)
          socket.once('close', resolve)
          socket.send(message)
          socket.send('{')
        }
        server.on('connection', greet)
      })
      await expect(
        openSession({
          url: `ws://127.0.0.1:${port}/${at}`,
          identity: {
            address: addressOfPrivateKey(key),
            privateKey: key,
            dispatcher: fromHex(`0x${'00'.repeat(20)}`),
          },
          offer: { workers: ['opml'], models: [], slots: 1 },
          onOrder: () => undefined,
          signal: new AbortController().signal,
        }),
        toHex(Buffer.from(message)),
      ).rejects.toThrow(/dispatcher/)
      return ended
    })
    console.warn(`to an operator: ${MESSAGES} messages, ends ${JSON.stringify(codes)}`)
    expect(Object.keys(codes).filter((code) => !DOCUMENTED.has(Number(code)))).toEqual([])
    for (const client of server.clients) client.terminate()
    server.close()
  },
  TIMEOUT_MS,
)
