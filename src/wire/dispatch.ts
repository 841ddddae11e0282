/** From a request body to the text of its response: single calls, batches and notifications of JSON-RPC 2.0. */
import { JsonBudgetError, parseBounded } from '../base/jsonBudget.ts'
import type { Log } from '../base/log.ts'
import { createSlices } from '../base/slices.ts'
import { compileArguments, type ReadArguments } from './arguments.ts'
import { isPrivate, namespaceOf, requireAuthority } from './authority.ts'
import {
  failureText,
  joinList,
  needsText,
  readRequest,
  successText,
  type InvalidRequest,
  type Request,
} from './envelope.ts'
import { RPC_ERRORS, RpcError } from './errors.ts'
import type { Caller, Method } from './method.ts'
import { numberIds } from './numberIds.ts'
import type { JsonText } from './rawJson.ts'

/** All methods by name. */
export type MethodTable<World> = Readonly<Record<string, Method<World>>>

/**
 * Called after each call with its method ("unknown" for names that do not exist), duration, error code, and the trace that
 * its request named.
 */
export type CallObserver = (
  method: string,
  milliseconds: number,
  code: number | undefined,
  traceparent: string | undefined,
) => void

export type DispatchOptions<World> = {
  readonly table: MethodTable<World>
  readonly world: World
  /** Namespaces that are served; methods of others do not exist. undefined serves all. */
  readonly namespaces?: readonly string[] | undefined
  /** Maximum number of requests in a batch. */
  readonly batchLimit: number
  /** Maximum number of characters in all responses of a batch. */
  readonly batchResponseLimit: number
  readonly log: Log
  readonly observe?: CallObserver | undefined
}

/** The response to send. `text` is undefined when there is nothing to send (notifications). */
export type Answer = {
  readonly text: JsonText | undefined
  /** The body was a single private call, refused for lack of a token: the HTTP status is 401 (D13). */
  readonly isUnauthorized: boolean
}

/** Answers a body; every body gets an answer, synchronously where the method answers synchronously. Never rejects. */
export type Dispatch = (body: string, caller: Caller) => Answer | Promise<Answer>

type Entry<World> = {
  readonly method: Method<World>
  readonly readArguments: ReadArguments
  readonly isPrivate: boolean
}

type Outcome = { readonly text: JsonText | undefined; readonly error: RpcError | undefined }

const NOTHING: Outcome = { text: undefined, error: undefined }

const asItIs = (outcome: Outcome): Outcome => outcome

function tooLargeText(id: string): string {
  return failureText(id, new RpcError('responseTooLarge'))
}

/** The stack without the message, which might contain a secret if the method is private. */
function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { stack = '', message } = error
  return stack.slice(stack.indexOf(message) + message.length)
}

/** Prepares the methods to be called. */
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

  function execute(request: Request, caller: Caller): unknown {
    const entry = entries.get(request.method)
    if (entry === undefined)
      throw new RpcError(
        'methodNotFound',
        `the method ${request.method.slice(0, 128)} does not exist/is not available`,
      )
    if (entry.isPrivate && entry.method.isPublic?.(world, request.params, caller) !== true)
      requireAuthority(request.method, caller)
    return entry.method.call(world, entry.readArguments(request.params), caller)
  }

  function failed(request: Request, thrown: unknown): Outcome {
    const error = asRpcError(thrown, request)
    return { text: request.id === undefined ? undefined : failureText(request.id, error), error }
  }

  function succeeded(request: Request, result: unknown): Outcome {
    if (request.id === undefined) return NOTHING
    try {
      return { text: successText(request.id, result), error: undefined }
    } catch (thrown) {
      return failed(request, thrown)
    }
  }

  /**
   * Passes the outcome to `finish`: synchronously where the method answers synchronously, because a promise per call of
   * a batch would cost as much as a read; otherwise with one promise.
   */
  function perform<T>(
    request: Request,
    caller: Caller,
    finish: (outcome: Outcome) => T,
  ): T | Promise<T> {
    let result: unknown
    try {
      result = execute(request, caller)
    } catch (thrown) {
      return finish(failed(request, thrown))
    }
    return result instanceof Promise
      ? result.then(
          (settled: unknown) => finish(succeeded(request, settled)),
          (thrown: unknown) => finish(failed(request, thrown)),
        )
      : finish(succeeded(request, result))
  }

  function run<T>(
    request: Request | InvalidRequest,
    caller: Caller,
    finish: (outcome: Outcome) => T,
  ): T | Promise<T> {
    if (request.method === undefined) {
      const error = new RpcError('invalidRequest')
      return finish({ text: failureText(request.id, error), error })
    }
    if (observe === undefined) return perform(request, caller, finish)
    const started = performance.now()
    return perform(request, caller, (outcome) => {
      const name = entries.has(request.method) ? request.method : 'unknown'
      const milliseconds = performance.now() - started
      observe(name, milliseconds, outcome.error?.code, caller.traceparent)
      return finish(outcome)
    })
  }

  function overlaps({ method }: Request | InvalidRequest): boolean {
    return method !== undefined && entries.get(method)?.method.overlaps === true
  }

  /** Starts a call of a batch, and the calls directly after it as long as they may overlap. */
  function beginIn(
    requests: readonly (Request | InvalidRequest)[],
    caller: Caller,
  ): (index: number) => Outcome | Promise<Outcome> {
    const begun: (Outcome | Promise<Outcome>)[] = []
    return (index) => {
      if (begun.length > index) return begun[index] as Outcome | Promise<Outcome>
      let next = requests[index] as Request | InvalidRequest
      begun.push(run(next, caller, asItIs))
      while (overlaps(next) && begun.length < requests.length) {
        next = requests[begun.length] as Request | InvalidRequest
        if (overlaps(next)) begun.push(run(next, caller, asItIs))
      }
      return begun[index] as Outcome | Promise<Outcome>
    }
  }

  async function runBatch(
    requests: readonly (Request | InvalidRequest)[],
    caller: Caller,
  ): Promise<JsonText | undefined> {
    if (requests.length > batchLimit) {
      const call = requests.find(({ id, method }) => method !== undefined && id !== undefined)
      return `[${failureText(call?.id ?? 'null', new RpcError('invalidRequest', 'batch too large'))}]`
    }
    const answers: JsonText[] = []
    let size = 0
    const slices = createSlices()
    const begin = beginIn(requests, caller)
    for (const [index, request] of requests.entries()) {
      if (size > batchResponseLimit) {
        if (request.id !== undefined) answers.push(tooLargeText(request.id))
        continue
      }
      const outcome = begin(index)
      const { text } = outcome instanceof Promise ? await outcome : outcome
      if (text !== undefined) {
        size += text.length
        answers.push(size > batchResponseLimit ? tooLargeText(request.id ?? 'null') : text)
      }
      if (slices.isOver()) await slices.next()
    }
    return answers.length === 0 ? undefined : joinList(answers)
  }

  function refuse(error: RpcError): Answer {
    return { text: failureText('null', error), isUnauthorized: false }
  }

  function answerOf({ text, error }: Outcome): Answer {
    return { text, isUnauthorized: error?.code === RPC_ERRORS.unauthorized.code }
  }

  function answerTo(body: string, caller: Caller): Answer | Promise<Answer> {
    let value: unknown
    try {
      value = parseBounded(body)
    } catch (error) {
      return refuse(
        new RpcError(
          'parse',
          error instanceof JsonBudgetError ? `parse error: ${error.message}` : undefined,
        ),
      )
    }
    if (!Array.isArray(value)) {
      const idText = needsText(value) ? numberIds(body)[0] : undefined
      return run(readRequest(value, idText), caller, answerOf)
    }
    if (value.length === 0) return refuse(new RpcError('invalidRequest', 'empty batch'))
    const ids = value.some(needsText) ? numberIds(body) : []
    const requests = value.map((each, index) => readRequest(each, ids[index]))
    return runBatch(requests, caller).then((text) => ({ text, isUnauthorized: false }))
  }

  function crashed(err: unknown): Answer {
    log.error({ err }, 'an answer could not be written')
    return refuse(new RpcError('internal'))
  }

  return (body, caller) => {
    try {
      const answer = answerTo(body, caller)
      return answer instanceof Promise ? answer.catch(crashed) : answer
    } catch (error) {
      return crashed(error)
    }
  }
}
