/** From the text of a body to the text of its answer: single calls, batches and notifications of JSON-RPC 2.0. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { parseJson } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import { compileArguments, type ReadArguments } from './arguments.ts'
import { isPrivate, namespaceOf, requireAuthority } from './authority.ts'
import {
  failureText,
  readRequest,
  successText,
  type InvalidRequest,
  type Request,
} from './envelope.ts'
import { RPC_ERRORS, RpcError } from './errors.ts'
import type { Caller, Method } from './method.ts'

/** All methods under their wire names. */
export type MethodTable<World> = Readonly<Record<string, Method<World>>>

/** Told of each call: its method ("unknown" for names that do not exist), how long it took, and its error code. */
export type CallObserver = (method: string, milliseconds: number, code: number | undefined) => void

export type DispatchOptions<World> = {
  readonly table: MethodTable<World>
  readonly world: World
  /** Namespaces that are served; a method of any other does not exist. undefined serves all. */
  readonly namespaces?: readonly string[] | undefined
  /** Most requests in one batch. */
  readonly batchLimit: number
  /** Most characters of all answers of one batch. */
  readonly batchResponseLimit: number
  readonly log: Log
  readonly observe?: CallObserver | undefined
}

/** What to send back. `text` is undefined when nothing is (notifications). */
export type Answer = {
  readonly text: string | undefined
  /** The body was one private call, refused for want of a token: HTTP says 401 (D13). */
  readonly isUnauthorized: boolean
}

/** Answers a body; whatever the body, there is an answer. */
export type Dispatch = (body: string, caller: Caller) => Promise<Answer>

/** Longest stretch of a batch without letting other requests run, in milliseconds. */
const BATCH_SLICE_MS = 10

type Entry<World> = {
  readonly method: Method<World>
  readonly readArguments: ReadArguments
  readonly isPrivate: boolean
}

type Outcome = { readonly text: string | undefined; readonly error: RpcError | undefined }

/** The stack without the message, which of a private method might hold a secret. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { stack = '', message } = error
  return stack.slice(stack.indexOf(message) + message.length)
}

/** Prepares the methods for calls. */
export function createDispatch<World>(options: DispatchOptions<World>): Dispatch {
  const { world, log, observe, batchLimit, batchResponseLimit } = options
  const entries = new Map<string, Entry<World>>()
  for (const [name, method] of Object.entries(options.table)) {
    if (options.namespaces?.includes(namespaceOf(name)) === false) continue
    entries.set(name, {
      method,
      readArguments: compileArguments(method.params),
      isPrivate: isPrivate(name),
    })
  }

  function asRpcError(error: unknown, { id, method }: Request): RpcError {
    if (error instanceof RpcError) return error
    const err = isPrivate(method) ? framesOf(error) : error
    log.error({ err, method, id }, 'a method failed unexpectedly')
    return new RpcError('internal', 'method handler crashed')
  }

  async function execute(request: Request, caller: Caller): Promise<unknown> {
    const entry = entries.get(request.method)
    if (entry === undefined)
      throw new RpcError(
        'methodNotFound',
        `the method ${request.method.slice(0, 128)} does not exist/is not available`,
      )
    if (entry.isPrivate) requireAuthority(request.method, caller)
    return entry.method.call(world, entry.readArguments(request.params), caller)
  }

  async function run(request: Request | InvalidRequest, caller: Caller): Promise<Outcome> {
    if (request.method === undefined) {
      const error = new RpcError('invalidRequest')
      return { text: failureText(request.id, error), error }
    }
    const started = observe && performance.now()
    let outcome: Outcome
    try {
      const result = await execute(request, caller)
      const text = request.id === undefined ? undefined : successText(request.id, result)
      outcome = { text, error: undefined }
    } catch (thrown) {
      const error = asRpcError(thrown, request)
      const text = request.id === undefined ? undefined : failureText(request.id, error)
      outcome = { text, error }
    }
    if (observe && started !== undefined)
      observe(
        entries.has(request.method) ? request.method : 'unknown',
        performance.now() - started,
        outcome.error?.code,
      )
    return outcome
  }

  async function runBatch(batch: readonly unknown[], caller: Caller): Promise<string | undefined> {
    const requests = batch.map(readRequest)
    if (requests.length > batchLimit) {
      const call = requests.find(({ id, method }) => method !== undefined && id !== undefined)
      return `[${failureText(call?.id ?? 'null', new RpcError('invalidRequest', 'batch too large'))}]`
    }
    const answers: string[] = []
    const tooLarge = new RpcError('responseTooLarge')
    let size = 0
    let sliceStart = performance.now()
    for (const request of requests) {
      if (size > batchResponseLimit) {
        if (request.id !== undefined) answers.push(failureText(request.id, tooLarge))
        continue
      }
      const { text } = await run(request, caller)
      if (text !== undefined) {
        size += text.length
        answers.push(size > batchResponseLimit ? failureText(request.id ?? 'null', tooLarge) : text)
      }
      if (performance.now() - sliceStart > BATCH_SLICE_MS) {
        await yieldToOthers()
        sliceStart = performance.now()
      }
    }
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`
  }

  function refuse(error: RpcError): Answer {
    return { text: failureText('null', error), isUnauthorized: false }
  }

  async function answerTo(body: string, caller: Caller): Promise<Answer> {
    let value: unknown
    try {
      value = parseJson(body)
    } catch {
      return refuse(new RpcError('parse'))
    }
    if (!Array.isArray(value)) {
      const { text, error } = await run(readRequest(value), caller)
      return { text, isUnauthorized: error?.code === RPC_ERRORS.unauthorized.code }
    }
    if (value.length === 0) return refuse(new RpcError('invalidRequest', 'empty batch'))
    return { text: await runBatch(value, caller), isUnauthorized: false }
  }

  return async (body, caller) => {
    try {
      return await answerTo(body, caller)
    } catch (err) {
      log.error({ err }, 'an answer could not be written')
      return refuse(new RpcError('internal'))
    }
  }
}
