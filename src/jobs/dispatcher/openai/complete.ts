/** Serves one completion: submits the job, waits for its answer, and shows it as it comes if the client wants that. */
import type { FastifyReply } from 'fastify'
import { messageOf } from '../../../base/errors.ts'
import { ApiError } from '../apiError.ts'
import { cancelJob } from '../control.ts'
import type { RouteContext } from '../routes/context.ts'
import type { RecordedAnswer } from './answers.ts'
import { openaiErrorBody } from './errorBody.ts'
import { openEventStream, type EventStream } from './eventStream.ts'
import { followJob } from './follow.ts'
import { HEADERS, receiptPath, type About, type Kind } from './reply.ts'

/** A job that was submitted for a completion. */
export type Submitted = {
  readonly id: string
  readonly project: string
  readonly model: string
  readonly warnings: readonly string[]
  readonly includesUsage: boolean
  /** Whether the client can ask for the same job again, so that it goes on without it. */
  readonly isKeyed: boolean
}

/** What a client that has gone is answered; nobody reads it. */
class ClientGone extends ApiError {
  constructor() {
    super(409, 'the client closed the connection')
  }
}

function aboutOf({ id, model, warnings }: Submitted): About {
  return { job: id, model, warnings, created: Math.floor(Date.now() / 1000) }
}

/** Resolves with the answer. A client that disconnects cancels its job, unless the job has a key (D140). Rejects with ApiError. */
async function answerOf(
  context: RouteContext,
  job: Submitted,
  reply: FastifyReply,
  onText?: (text: string) => void,
): Promise<RecordedAnswer> {
  const gone = new AbortController()
  const leave = (): void => gone.abort(new ClientGone())
  reply.raw.once('close', leave)
  if (reply.raw.destroyed) leave()
  const { id, project } = job
  try {
    const followed = { id, project, signal: gone.signal, ...(onText !== undefined && { onText }) }
    return await followJob(context, followed)
  } catch (error) {
    if (gone.signal.aborted && !job.isKeyed) await cancel(context, id, project)
    throw error
  } finally {
    reply.raw.off('close', leave)
  }
}

async function cancel(context: RouteContext, id: string, project: string): Promise<void> {
  try {
    await cancelJob(context.sql, { id, project })
  } catch (error) {
    // It ended just before.
    if (!(error instanceof ApiError)) throw error
  }
  context.halt(id)
}

/** The whole answer at once. */
export async function completeWhole<Whole>(
  context: RouteContext,
  job: Submitted,
  reply: FastifyReply,
  kind: { whole(answer: RecordedAnswer, about: About): Whole },
): Promise<Whole> {
  reply.header(HEADERS.job, job.id).header(HEADERS.receipt, receiptPath(job.id))
  const answer = await answerOf(context, job, reply)
  reply.header(HEADERS.verifyId, answer.verifyId)
  return kind.whole(answer, aboutOf(job))
}

/** The answer as it comes; its last part has what proves it. The reply is the stream's from here on. Never rejects. */
export async function completeStream(
  context: RouteContext,
  job: Submitted,
  reply: FastifyReply,
  kind: Kind,
): Promise<void> {
  reply.hijack()
  const about = aboutOf(job)
  const headers = {
    'x-request-id': reply.request.id,
    [HEADERS.job]: job.id,
    [HEADERS.receipt]: receiptPath(job.id),
  }
  const stream = openEventStream(reply.raw, headers)
  const writer = createWriter(stream, kind, about)
  try {
    const answer = await answerOf(context, job, reply, writer.write)
    await writer.finish(answer.output)
    await stream.send(kind.end(answer, about))
    if (job.includesUsage) await stream.send(kind.usage(answer, about))
    stream.end(true)
  } catch (error) {
    await writer.rest()
    await fail(context, stream, reply, error, headers)
  }
}

/** Sends text in order; what comes while the client reads is sent together. */
function createWriter(stream: EventStream, kind: Kind, about: About) {
  const state = { pending: '', taken: 0, isQueued: false }
  let sending = Promise.resolve()
  async function pump(): Promise<void> {
    state.isQueued = false
    const first = stream.hasBegun ? undefined : kind.begin(about)
    if (first !== undefined) await stream.send(first)
    const text = state.pending
    state.pending = ''
    if (text !== '') await stream.send(kind.part(text, about))
  }
  const write = (text: string): void => {
    state.pending += text
    state.taken += text.length
    if (state.isQueued) return
    state.isQueued = true
    sending = sending.then(pump)
  }
  return {
    write,
    /** Sends what is left of the whole text, and what begins a stream of an empty one. */
    async finish(whole: string): Promise<void> {
      write(whole.slice(state.taken))
      await sending
    },
    /** Resolves when nothing is being sent. */
    rest: async (): Promise<void> => sending,
  }
}

async function fail(
  { log }: RouteContext,
  stream: EventStream,
  { raw, request }: FastifyReply,
  thrown: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const error = thrown instanceof ApiError ? thrown : new ApiError(500, 'internal error')
  if (error !== thrown)
    log.error({ err: messageOf(thrown), requestId: request.id }, 'request failed')
  if (raw.destroyed) return
  const body = openaiErrorBody(error)
  if (stream.hasBegun) {
    await stream.send(body)
    stream.end(false)
    return
  }
  raw.writeHead(error.code, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'x-should-retry': 'false',
  })
  raw.end(JSON.stringify(body))
}
