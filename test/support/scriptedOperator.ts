/** An operator with a real key, draw, statement and signature, whose answers are scripted. */
import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { fromHex, toHex, type Hex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { statementAbout, type AnswerRequest } from '../../src/jobs/answer.ts'
import { executionClaims } from '../../src/jobs/executionClaims.ts'
import type { JobType } from '../../src/proof/job/job.ts'
import { doJob } from '../../src/jobs/operator/job.ts'
import { beginLogin, type Login } from '../../src/jobs/operator/login.ts'
import type { Source } from '../../src/jobs/operator/sources.ts'
import {
  fromDispatcher,
  type Dispatch,
  type Protocol,
  type FromDispatcher,
  type FromOperator,
  type ModelIdentity,
  type Result,
} from '../../src/jobs/protocol.ts'
import { advanceClock } from '../../src/proof/job/vectorClock.ts'

export type ScriptedOperator = {
  readonly address: string
  readonly privateKey: Uint8Array
  readonly socket: WebSocket
  /** All messages that were received after the login. */
  readonly received: FromDispatcher[]
  send(message: FromOperator | string): void
  /** The next message of a type that was not yet taken; rejects when none comes. */
  next<T extends FromDispatcher['type']>(type: T): Promise<Extract<FromDispatcher, { type: T }>>
  /** The honest result of a hand-out. */
  answer(dispatch: Dispatch, output?: string): Promise<Result>
  /** Resolves with the close code. */
  readonly closed: Promise<number>
}

export type OperatorScript = {
  readonly privateKey?: Uint8Array
  readonly workers?: readonly JobType[]
  readonly models?: readonly string[]
  /** What it says about its models; nothing, like former releases, by default. */
  readonly identities?: readonly ModelIdentity[]
  /** SHA-256 of the file that its answers state. */
  readonly modelHash?: Hex
  readonly slots?: number
  /** The address that it connects from. */
  readonly localAddress?: string
  readonly evidence?: Source['answer']
  /** Whether it says nothing about what it can do besides its version. */
  readonly isOfFormerRelease?: boolean
  /** The only version that it speaks; the newest by default. */
  readonly protocol?: Protocol
}

const PATIENCE_MS = 10_000

/** Connects, logs in, and waits for orders. Rejects when the login fails. */
export async function connectOperator(
  to: { readonly operatorAddress: string; readonly dispatcherAddress: string },
  script: OperatorScript = {},
): Promise<ScriptedOperator> {
  const privateKey = script.privateKey ?? randomBytes(32)
  const address = toHex(addressOfPrivateKey(privateKey))
  const identity = {
    address: fromHex(address),
    privateKey,
    dispatcher: fromHex(to.dispatcherAddress),
  }
  const socket = new WebSocket(`ws://${to.operatorAddress}/ws`, {
    localAddress: script.localAddress,
  })
  const received: FromDispatcher[] = []
  const taken = new Set<FromDispatcher>()
  const waiting = new Set<() => void>()
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  let login: Login | undefined
  const range = await new Promise<{ start: number; end: number; max: number }>(
    (resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
      socket.on('message', (data) => {
        // oxlint-disable-next-line typescript/no-base-to-string -- text frames arrive as buffers
        const message = fromDispatcher.parse(JSON.parse(String(data)))
        if (message.type === 'challenge') {
          // The first protocol did not have `protocols`.
          const { protocols = [], ...first } = message
          const offered =
            script.protocol === 1
              ? first
              : {
                  ...first,
                  protocols: script.protocol === undefined ? protocols : [script.protocol],
                }
          const { takesIdentities = false, ...former } = offered
          const isFormer = script.identities === undefined
          login = beginLogin(isFormer ? former : { ...former, takesIdentities }, identity, {
            workers: script.workers ?? ['opml'],
            models: script.models ?? ['tiny.gguf'],
            identities: script.identities ?? [],
            slots: script.slots ?? 4,
          })
          const { features, ...hello } = login.hello
          const isOld = script.isOfFormerRelease === true
          socket.send(JSON.stringify(isOld ? hello : { ...hello, features }))
        } else if (message.type === 'welcome') {
          if (login !== undefined) resolve(login.finish(message))
        } else {
          received.push(message)
          for (const check of waiting) check()
        }
      })
    },
  )
  return {
    address,
    privateKey,
    socket,
    received,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next<T extends FromDispatcher['type']>(type: T) {
      return new Promise<Extract<FromDispatcher, { type: T }>>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no ${type} came`)), PATIENCE_MS)
        const check = (): void => {
          const found = received.find((message) => message.type === type && !taken.has(message))
          if (found === undefined) return
          taken.add(found)
          waiting.delete(check)
          clearTimeout(timer)
          resolve(found as Extract<FromDispatcher, { type: T }>)
        }
        waiting.add(check)
        check()
      })
    },
    async answer(dispatch, output = `echo: ${dispatch.job.prompt}`) {
      const source: Source = {
        models: async () => ({ names: [], identities: [] }),
        close: async () => undefined,
        answer:
          script.evidence ??
          (async (request) => ({
            output,
            statement: statementOf(request, output, script.modelHash),
          })),
      }
      const message = await doJob(dispatch, {
        identity,
        range,
        protocol: script.protocol ?? 3,
        clock: advanceClock({}, address, dispatch.clock),
        sources: new Map([[dispatch.job.tag, source]]),
        signal: new AbortController().signal,
      })
      if (message.type !== 'result') throw new Error(message.reason)
      return message
    },
  }
}

/** A complete statement about a scripted answer. */
export function statementOf(
  request: AnswerRequest,
  output: string,
  sha256: Hex = `0x${'11'.repeat(32)}`,
): Awaited<ReturnType<Source['answer']>>['statement'] {
  const model = { sha256 }
  const generation = { output, tokens: 3, promptTokens: 4, finishReason: 'stop' } as const
  const now = Math.floor(Date.now() / 1000)
  return statementAbout(request, {
    engine: 'scripted',
    ...executionClaims(model, generation),
    startedAt: now - 1,
    finishedAt: now,
  })
}
