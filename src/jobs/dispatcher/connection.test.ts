/** The dispatcher's half of the login: what ends a connection, with which code and reason. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { say, type Sent } from '../../../test/support/say.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { beginLogin, type Login } from '../operator/login.ts'
import { CLOSE, fromDispatcher, type FromDispatcher, type FromOperator } from '../protocol.ts'
import { serveConnection, type ConnectionHandlers, type Report } from './connection.ts'

const key = new Uint8Array(32).fill(0x41)
const operator = toHex(addressOfPrivateKey(key))
const dispatcherKey = new Uint8Array(32).fill(0x42)
const dispatcher = toHex(addressOfPrivateKey(dispatcherKey))
const stranger = new Uint8Array(32).fill(0x43)
const OFFER = { workers: ['opml'], models: ['tiny.gguf'], slots: 1 } as const
const RANGE = { start: 0, end: 600_000, max: 600_000 }
const LEASE = randomUUID()
const HEARTBEAT = { type: 'heartbeat', leases: [LEASE] }
const MAX_MESSAGE = 100_000

const reports: Report[] = []
/** Refusals that were taken, and those that are being handled until they are released. */
const busy = { leases: [] as string[], waiting: [] as (() => void)[], release: true }
const handlers: ConnectionHandlers = {
  open: async ({ operator: whose }) =>
    whose === operator ? { range: RANGE, refused: [] } : 'not registered',
  opened: () => undefined,
  async report(_, report) {
    reports.push(report)
    if (report.type !== 'refused') return
    busy.leases.push(report.lease)
    if (!busy.release) await new Promise<void>((go) => busy.waiting.push(go))
  },
  closed: async () => undefined,
}
let server: WebSocketServer
let url: string

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: MAX_MESSAGE })
  const identity = { address: dispatcher, privateKey: dispatcherKey }
  const log = pino({ level: 'silent' })
  server.on('connection', (socket) => void serveConnection(socket, identity, handlers, log))
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})

type Challenge = Extract<FromDispatcher, { type: 'challenge' }>

/** Replies to the challenge, then to the welcome. Resolves with how the connection ended. */
function talk(
  first: (challenge: Challenge) => readonly Sent[],
  afterWelcome: readonly Sent[] = [],
): Promise<{ code: number; reason: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.on('message', (data: Buffer) => {
      const message = fromDispatcher.parse(JSON.parse(data.toString()))
      if (message.type === 'challenge') say(socket, first(message))
      if (message.type === 'welcome') say(socket, afterWelcome)
    })
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    socket.on('error', reject)
  })
}

const login = (challenge: Challenge, privateKey = key): Login =>
  beginLogin(
    challenge,
    { address: addressOfPrivateKey(privateKey), privateKey, dispatcher: fromHex(dispatcher) },
    OFFER,
  )
const hello = (challenge: Challenge, privateKey = key): Extract<FromOperator, { type: 'hello' }> =>
  login(challenge, privateKey).hello
const nonce = (): string => randomBytes(32).toString('hex')

/** Sent before the login has succeeded. */
const BEFORE: readonly (readonly [
  name: string,
  say: (challenge: Challenge) => readonly Sent[],
  code: number,
  reason: string,
])[] = [
  [
    'a heartbeat before the hello',
    () => [HEARTBEAT],
    CLOSE.unauthenticated,
    'hello must come first',
  ],
  [
    'a refusal before the hello',
    () => [{ type: 'refused', jobId: nonce(), lease: LEASE, reason: '', retry: true }],
    CLOSE.unauthenticated,
    'hello must come first',
  ],
  [
    'a hello in the name of another',
    (challenge) => [{ ...hello(challenge, stranger), operator }],
    CLOSE.unauthenticated,
    'the signature is not by the operator',
  ],
  [
    'a hello that answers another challenge',
    (challenge) => [hello({ ...challenge, nonce: nonce() })],
    CLOSE.unauthenticated,
    'the signature is not by the operator',
  ],
  [
    'a hello with another nonce than was signed',
    (challenge) => [{ ...hello(challenge), nonce: nonce() }],
    CLOSE.unauthenticated,
    'the signature is not by the operator',
  ],
  [
    'a hello in another version than was signed',
    (challenge) => [{ ...hello(challenge), protocol: 1 }],
    CLOSE.unauthenticated,
    'the signature is not by the operator',
  ],
  [
    'a hello that was meant for another dispatcher',
    (challenge) => {
      const elsewhere = { ...challenge, dispatcher: toHex(addressOfPrivateKey(stranger)) }
      const dispatcherOfIt = addressOfPrivateKey(stranger)
      const identity = {
        address: addressOfPrivateKey(key),
        privateKey: key,
        dispatcher: dispatcherOfIt,
      }
      return [beginLogin(elsewhere, identity, OFFER).hello]
    },
    CLOSE.unauthenticated,
    'the signature is not by the operator',
  ],
  [
    'a hello without a signature',
    (challenge) => [{ ...hello(challenge), signature: `0x${'00'.repeat(65)}` }],
    CLOSE.unauthenticated,
    'the signature is not by the operator',
  ],
  [
    'a hello in a version that nobody speaks',
    (challenge) => [{ ...hello(challenge), protocol: 4 }],
    CLOSE.version,
    'this dispatcher speaks protocol 1 or 2 or 3',
  ],
  [
    'an operator that is not admitted',
    (challenge) => [hello(challenge, stranger)],
    CLOSE.unauthenticated,
    'not registered',
  ],
  ['no JSON', () => ['{'], CLOSE.malformed, 'malformed message'],
  ['a message of no known type', () => [{ type: 'shout' }], CLOSE.malformed, 'malformed message'],
  ['a message of the other side', (challenge) => [challenge], CLOSE.malformed, 'malformed message'],
  [
    'a hello as bytes',
    (challenge) => [Buffer.from(JSON.stringify(hello(challenge)))],
    CLOSE.malformed,
    'malformed message',
  ],
  [
    'a hello with a field too few',
    (challenge) => {
      const { slots: _, ...rest } = hello(challenge)
      return [rest]
    },
    CLOSE.malformed,
    'malformed message',
  ],
  ['a message that is too long', () => ['x'.repeat(MAX_MESSAGE + 1)], 1009, ''],
]

test.each(BEFORE)('%s ends the connection', async (_, say, code, reason) => {
  expect(await talk(say)).toEqual({ code, reason })
})

/** Sent by an operator that is logged in. */
const AFTER: readonly (readonly [name: string, message: Sent, reason: string])[] = [
  ['a broken report', { ...HEARTBEAT, leases: ['x'] }, 'malformed message'],
  ['no JSON', 'null', 'malformed message'],
  ['bytes', Buffer.from(JSON.stringify(HEARTBEAT)), 'malformed message'],
]

test.each(AFTER)('%s ends the connection of an operator, too', async (_, message, reason) => {
  expect(await talk((challenge) => [hello(challenge)], [message])).toEqual({
    code: CLOSE.malformed,
    reason,
  })
})

test('a hello that is sent twice ends the connection', async () => {
  const first = (challenge: Challenge): readonly Sent[] => {
    const said = hello(challenge)
    return [said, said]
  }
  expect(await talk(first)).toEqual({ code: CLOSE.malformed, reason: 'a second hello' })
})

test('what was said before the end is handled, what comes after it is not', async () => {
  const marker = randomUUID()
  const said = { ...HEARTBEAT, leases: [marker] }
  await talk((challenge) => [hello(challenge)], [said, { type: 'shout' }, said])
  expect(
    reports.filter((report) => report.type === 'heartbeat' && report.leases[0] === marker),
  ).toHaveLength(1)
})

// Holds D153.
test('results are handled at a time, at most eight of them, and all of them before the end', async () => {
  const leases = Array.from({ length: 20 }, () => randomUUID())
  const refusal = { type: 'refused', jobId: nonce(), reason: '', retry: true }
  busy.release = false
  const ended = talk(
    (challenge) => [hello(challenge)],
    [...leases.map((lease) => ({ ...refusal, lease })), { type: 'shout' }],
  )
  await waitFor(() => expect(busy.leases.length).toBe(8))
  expect(reports.filter((report) => report.type === 'refused')).toHaveLength(8)
  busy.release = true
  for (const go of busy.waiting.splice(0)) go()
  expect(await ended).toMatchObject({ code: CLOSE.malformed })
  expect(new Set(busy.leases)).toEqual(new Set(leases))
})

test('whoever says nothing is not waited for', async () => {
  expect(await talk(() => [])).toEqual({ code: CLOSE.unauthenticated, reason: 'no hello in time' })
})
