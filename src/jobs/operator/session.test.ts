/** The operator's half of the login: which dispatchers it rejects, and why. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { say, type Sent } from '../../../test/support/say.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { fromOperator, loginText, type FromOperator, type Protocol } from '../protocol.ts'
import { signDigest, textDigest } from '../signature.ts'
import { openSession, type Session } from './session.ts'

const key = new Uint8Array(32).fill(0x51)
const operator = toHex(addressOfPrivateKey(key))
const dispatcherKey = new Uint8Array(32).fill(0x52)
const dispatcher = toHex(addressOfPrivateKey(dispatcherKey))
const stranger = new Uint8Array(32).fill(0x53)
const RANGE = { start: 0, end: 600_000, max: 600_000 }
const REGISTERED = { start: 0, end: 60_000, max: 600_000 }
const NONCE = randomBytes(32).toString('hex')
const CHALLENGE = {
  type: 'challenge',
  protocol: 1,
  protocols: [1, 2, 3],
  dispatcher,
  nonce: NONCE,
}
const DISPATCH = {
  type: 'dispatch',
  jobId: NONCE,
  lease: randomUUID(),
  leaseSeconds: 30,
  seed: NONCE,
  tag: '',
  position: '',
  clock: {},
  chainId: '1',
  job: {
    tag: 'opml',
    prompt: '',
    model: 'm',
    params: { temperature: 0, top_p: 1, max_tokens: 1 },
  },
}

type Hello = Extract<FromOperator, { type: 'hello' }>

let server: WebSocketServer
let url: string

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})

/** What a dispatcher sends first, and what it replies to a hello. */
type Script = {
  readonly first?: readonly Sent[]
  readonly answer?: (hello: Hello) => readonly Sent[]
}

async function play({ first = [CHALLENGE], answer = () => [] }: Script): Promise<Session> {
  server.removeAllListeners('connection')
  server.on('connection', (socket: WebSocket) => {
    socket.on('message', (data: Buffer) => {
      const message = fromOperator.parse(JSON.parse(data.toString()))
      if (message.type === 'hello') say(socket, answer(message))
    })
    say(socket, first)
  })
  return openSession({
    url,
    identity: {
      address: addressOfPrivateKey(key),
      privateKey: key,
      dispatcher: fromHex(dispatcher),
    },
    offer: { workers: ['opml'], models: ['m'], slots: 1 },
    registered: REGISTERED,
    onOrder: () => undefined,
    signal: new AbortController().signal,
  })
}

type Bound = Omit<Parameters<typeof loginText>[0], 'protocol'>

/** A welcome that is honest except for the changes. */
function welcome(
  hello: Hello,
  changes: {
    readonly bound?: Partial<Bound>
    readonly protocol?: Protocol
    readonly by?: Uint8Array
    readonly range?: object
  } = {},
): object {
  const { bound, protocol = 3, by = dispatcherKey, range = REGISTERED } = changes
  const text = loginText({
    role: 'dispatcher',
    protocol,
    dispatcher,
    operator,
    dispatcherNonce: NONCE,
    operatorNonce: hello.nonce,
    ...bound,
  })
  const session = randomBytes(32).toString('hex')
  return { type: 'welcome', session, range, signature: signDigest(textDigest(text), by) }
}

const UNPROVEN = `the dispatcher did not prove that it is ${dispatcher}`
const MALFORMED = 'the dispatcher sent a malformed message'

const REFUSED: readonly (readonly [name: string, script: Script, reason: string])[] = [
  [
    'a welcome before the challenge',
    { first: [welcome({ nonce: NONCE } as Hello)] },
    '"welcome" out of order',
  ],
  ['a job before the challenge', { first: [DISPATCH] }, '"dispatch" out of order'],
  ['a job before the welcome', { answer: () => [DISPATCH] }, '"dispatch" out of order'],
  [
    'an acknowledgement before the welcome',
    { answer: () => [{ type: 'recorded', jobId: NONCE, lease: DISPATCH.lease }] },
    '"recorded" out of order',
  ],
  ['a second challenge', { answer: () => [CHALLENGE] }, '"challenge" out of order'],
  [
    'the challenge of another dispatcher',
    { first: [{ ...CHALLENGE, dispatcher: toHex(addressOfPrivateKey(stranger)) }] },
    'dispatcher_address does not match the dispatcher',
  ],
  [
    'a challenge in versions to come',
    { first: [{ ...CHALLENGE, protocol: 4, protocols: [4, 5] }] },
    'the dispatcher speaks protocol 4, 5, but this operator speaks 1, 2, 3',
  ],
  ['a welcome of another key', { answer: (hello) => [welcome(hello, { by: stranger })] }, UNPROVEN],
  [
    'the welcome of another login',
    { answer: (hello) => [welcome(hello, { bound: { operatorNonce: NONCE } })] },
    UNPROVEN,
  ],
  [
    'the welcome of another operator',
    { answer: (hello) => [welcome(hello, { bound: { operator: dispatcher } })] },
    UNPROVEN,
  ],
  [
    'a welcome to another version',
    { answer: (hello) => [welcome(hello, { protocol: 1 })] },
    UNPROVEN,
  ],
  [
    "the operator's own signature",
    {
      answer: (hello) => [{ ...welcome(hello), signature: hello.signature }],
    },
    UNPROVEN,
  ],
  [
    'a range that ends before it starts',
    { answer: (hello) => [welcome(hello, { range: { start: 5, end: 4, max: 9 } })] },
    'invalid range: 5 to 4 of 9',
  ],
  [
    'a range beyond the line',
    { answer: (hello) => [welcome(hello, { range: { start: 0, end: 10, max: 9 } })] },
    'invalid range: 0 to 10 of 9',
  ],
  [
    'another range than the registered one',
    { answer: (hello) => [welcome(hello, { range: RANGE })] },
    'sent the range 0 to 600000 of 600000, but the registry has 0 to 60000 of 600000',
  ],
  ['no JSON', { first: ['{'] }, MALFORMED],
  ['bytes', { first: [Buffer.from(JSON.stringify(CHALLENGE))] }, MALFORMED],
  ['a message of no known type', { first: [{ type: 'shout' }] }, MALFORMED],
  ['a message of the other side', { first: [{ type: 'heartbeat', leases: [] }] }, MALFORMED],
  ['a challenge without a nonce', { first: [{ ...CHALLENGE, nonce: '' }] }, MALFORMED],
]

test.each(REFUSED)('%s is refused with the reason', async (_, script, reason) => {
  await expect(play(script)).rejects.toThrow(reason)
})

test('a welcome that holds opens a session, a second one ends it', async () => {
  let said: object = {}
  const session = await play({ answer: (hello) => [(said = welcome(hello))] })
  expect(session).toMatchObject({ protocol: 3, range: REGISTERED })
  for (const client of server.clients) client.send(JSON.stringify(said))
  expect(await session.closed).toContain('out of order')
})

test('a dispatcher that says nothing is not waited for', async () => {
  await expect(play({ first: [] })).rejects.toThrow('did not finish the login in time')
})
