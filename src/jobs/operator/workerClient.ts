/** The operator's side of the worker API. Nothing that a worker sends is passed on unchecked. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { codeOf } from '../../base/errors.ts'
import { formatTraceparent } from '../../base/tracing/context.ts'
import { jobTrace } from '../jobTrace.ts'
import { requestedFields } from '../answer.ts'
import { judgeEvidence } from '../evidence.ts'
import { outputHash } from '../../proof/job/hashes.ts'
import { statementMismatch, statementVersion } from '../../proof/job/statement.ts'
import {
  ANSWER_PATH,
  STATUS_PATH,
  workerAnswer,
  workerFailure,
  workerStatus,
  type WorkerAnswer,
  type WorkerRequest,
  type WorkerStatus,
} from '../worker/api.ts'
import { loadWorkerSecret } from '../worker/secret.ts'
import { readResponse, TooLargeError } from './workerStream.ts'

const STATUS_MS = 5_000
/**
 * Errors before there is a connection. A worker that breaks one off may have died of the job.
 */
const AWAY = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
])

/** The worker refused a job, could not be reached, or gave an invalid answer. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  /** Whether another operator may succeed. */
  readonly retry: boolean
  /** Whether the request never reached the worker, so that it cannot be the cause. */
  readonly isAway: boolean

  constructor(message: string, retry: boolean, isAway = false) {
    super(message)
    this.retry = retry
    this.isAway = isAway
  }
}

export type WorkerClient = {
  /** Rejects with WorkerError. */
  status(signal: AbortSignal): Promise<WorkerStatus>
  /**
   * An answer whose statement and evidence match the request; `onText` receives its text as far as the worker sends it before.
   * Rejects with WorkerError, or when aborted.
   */
  answer(
    request: WorkerRequest,
    signal: AbortSignal,
    onText?: (text: string) => void,
  ): Promise<WorkerAnswer>
}

/**
 * A client of the worker at an address. Both may be looked up again for each call: a restarted worker has a different
 * port.
 */
export function workerClient(at: {
  readonly url: (signal: AbortSignal) => Promise<string>
  readonly secretFile: string
}): WorkerClient {
  const call = (
    origin: string,
    path: string,
    body: string | undefined,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    onText: (text: string) => void = () => undefined,
  ) =>
    exchange(new URL(path, origin), loadWorkerSecret(at.secretFile), body, headers, signal, onText)
  return {
    async status(signal) {
      const origin = await at.url(signal)
      // The timeout is for the response only: whoever started a worker waits until it is ready.
      const limited = AbortSignal.any([signal, AbortSignal.timeout(STATUS_MS)])
      const parsed = workerStatus.safeParse(await call(origin, STATUS_PATH, undefined, {}, limited))
      if (!parsed.success) throw new WorkerError('the worker reports a malformed status', true)
      return parsed.data
    },
    async answer(request, signal, onText) {
      const parsed = workerAnswer.safeParse(
        await call(
          await at.url(signal),
          ANSWER_PATH,
          JSON.stringify({ ...request, ...(onText !== undefined && { stream: true }) }),
          { traceparent: formatTraceparent(jobTrace(request.jobId)) },
          signal,
          onText,
        ),
      )
      if (!parsed.success) throw new WorkerError('the worker returned a malformed answer', true)
      await checkAnswer(request, parsed.data)
      return parsed.data
    },
  }
}

async function checkAnswer(
  request: WorkerRequest,
  { output, statement, evidence }: WorkerAnswer,
): Promise<void> {
  const wrong = statementMismatch(statement, {
    ...requestedFields(request),
    outputHash: outputHash(output),
  })
  if (wrong !== undefined) throw new WorkerError(`the worker states a different ${wrong}`, true)
  if (statementVersion(statement) !== request.statementVersion)
    throw new WorkerError('the worker and the operator are of different versions', true)
  // Whether the hardware and its software are trusted is up to the dispatcher.
  if (evidence.level === 'hardware') return
  const domain = { chainId: BigInt(request.chainId), dispatcher: request.dispatcher }
  const verdict = await judgeEvidence(evidence, statement, domain, { software: 'any' })
  if (!verdict.ok)
    throw new WorkerError(`the worker's evidence is invalid: ${verdict.reason}`, true)
}

/** One request. No timeout besides the signal: generation may take long. */
async function exchange(
  url: URL,
  secret: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<unknown> {
  try {
    const response = await send(url, secret, body, headers, signal)
    const content = await readResponse(response, onText)
    const failure = workerFailure.safeParse(content).data
    if (response.statusCode === 200 && failure === undefined) return content
    throw new WorkerError(
      failure?.message ?? `the worker answered with status ${response.statusCode}`,
      failure?.retry ?? true,
    )
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof WorkerError) throw error
    if (error instanceof TooLargeError) throw new WorkerError(error.message, true)
    const code = codeOf(error)
    throw new WorkerError(
      `the worker at ${url.origin} failed (${code ?? 'no answer'})`,
      true,
      code !== undefined && AWAY.has(code),
    )
  }
}

function send(
  url: URL,
  secret: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = open(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headers,
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
      },
      signal,
    })
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
}
