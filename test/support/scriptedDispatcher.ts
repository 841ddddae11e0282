/** The dispatcher's side of the protocol, for tests of the operator. */
import { randomBytes } from 'node:crypto'
import { EventEmitter, on, once } from 'node:events'
import { expect } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import type { SelectionRange } from '../../src/proof/vrfSelection.ts'
import {
  commonProtocol,
  fromOperator,
  loginText,
  PROTOCOLS,
  type FromOperator,
} from '../../src/jobs/protocol.ts'
import { recoverSigner, signDigest, textDigest } from '../../src/jobs/signature.ts'

export type ScriptedDispatcher = {
  readonly url: string
  /** Messages of operators that logged in. */
  readonly messages: AsyncIterator<FromOperator>
  /** Code and reason of the next connection that an operator closes. */
  nextClose(): Promise<readonly [number, string]>
  /** Drops the current connection. */
  drop(): void
  send(message: object): void
  /** Sends anything at all. */
  say(message: string | Buffer): void
  close(): void
}

export type DispatcherPart = {
  /** Addresses of the dispatcher that is played, and of the operator that it expects. */
  readonly dispatcher: string
  readonly operator: string
  /** Signs the welcome. */
  readonly key: Uint8Array
  readonly range: SelectionRange
  readonly challenge?: { readonly protocol: number; readonly protocols?: readonly number[] }
}

/** Plays the dispatcher for one operator at a time. */
export async function startScriptedDispatcher(part: DispatcherPart): Promise<ScriptedDispatcher> {
  const { dispatcher, operator, key, range } = part
  const { challenge = { protocol: 1, protocols: PROTOCOLS } } = part
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/ws' })
  await once(server, 'listening')
  const events = new EventEmitter()
  const queue = on(events, 'message')
  const closes = on(events, 'closed')
  let current: WebSocket | undefined
  server.on('connection', (socket) => {
    current = socket
    const dispatcherNonce = randomBytes(32).toString('hex')
    const say = (message: object) => socket.send(JSON.stringify(message))
    say({ type: 'challenge', ...challenge, dispatcher, nonce: dispatcherNonce })
    socket.on('close', (code, reason) => events.emit('closed', [code, String(reason)]))
    socket.on('message', (data) => {
      const message = fromOperator.parse(JSON.parse((data as Buffer).toString()))
      events.emit('message', message)
      if (message.type !== 'hello') return
      const bound = {
        protocol: commonProtocol([message.protocol]) ?? 1,
        dispatcher,
        operator,
        dispatcherNonce,
        operatorNonce: message.nonce,
      }
      const proof = textDigest(loginText({ role: 'operator', ...bound }))
      expect(recoverSigner(proof, message.signature)).toBe(operator)
      const signature = signDigest(textDigest(loginText({ role: 'dispatcher', ...bound })), key)
      say({ type: 'welcome', session: randomBytes(32).toString('hex'), range, signature })
    })
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as { port: number }).port}/ws`,
    messages: {
      next: async () => {
        const { value, done } = await queue.next()
        return done === true ? { value: undefined, done } : { value: (value as [FromOperator])[0] }
      },
    },
    nextClose: async () => ((await closes.next()).value as [[number, string]])[0],
    drop: () => current?.close(),
    send: (message) => current?.send(JSON.stringify(message)),
    say: (message) => current?.send(message),
    close() {
      current?.terminate()
      server.close()
    },
  }
}

/**
 * The next message of a type, past heartbeats. A hello also comes after results that were sent twice: an operator sends what
 * it keeps when a session begins, and may have kept it just then. Throws when another one comes.
 */
export async function next<Type extends FromOperator['type']>(
  script: ScriptedDispatcher,
  type: Type,
): Promise<Extract<FromOperator, { type: Type }>> {
  for (;;) {
    const { value } = (await script.messages.next()) as { value: FromOperator }
    if (value.type === type) return value as Extract<FromOperator, { type: Type }>
    const isRepeated = type === 'hello' && value.type === 'result'
    if (value.type !== 'heartbeat' && !isRepeated)
      throw new Error(`expected ${type}, got ${JSON.stringify(value)}`)
  }
}
