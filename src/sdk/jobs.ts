/**
 * A typed client of the job API for other programs (`assay/jobs`, D150), in Node and in a page. Every route is a function,
 * made from the routes of the dispatcher; around them is what programs do with jobs: submit, wait, follow, verify.
 */
import { jobEvents, isJobEnd, type JobEnd, type JobEvent, type StreamOptions } from './jobEvents.ts'
import type {
  Job,
  JobDetail,
  JobResult,
  ListedJob,
  ReceiptBundle,
  Routes,
  Submission,
} from './jobRoutes.ts'
import { ROUTES } from './jobRoutes.ts'
import {
  callRoute,
  createSend,
  JobApiError,
  type JobsOptions,
  type RequestOptions,
} from './request.ts'

export type {
  Job,
  JobDetail,
  JobEnd,
  JobEvent,
  JobResult,
  ListedJob,
  JobsOptions,
  ReceiptBundle,
  Routes,
  Submission,
}
export { JobApiError }

/** A job that ended without an answer. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError'
  readonly jobId: string
  readonly state: Exclude<JobEnd, 'completed'>

  constructor(jobId: string, state: Exclude<JobEnd, 'completed'>, reason: string) {
    super(
      `job ${jobId} ${state === 'cancelled' ? 'was cancelled' : state}${reason === '' ? '' : `: ${reason}`}`,
    )
    this.jobId = jobId
    this.state = state
  }
}

/** One function per route: what it takes as one object, headers and a signal as another; it answers with the whole body. */
export type RouteFunctions = {
  readonly [Name in keyof Routes]: (
    ...input: Record<string, never> extends Routes[Name]['input']
      ? [input?: Routes[Name]['input'], options?: RequestOptions<Name>]
      : [input: Routes[Name]['input'], options?: RequestOptions<Name>]
  ) => Promise<Routes[Name]['answer']>
}

type Signalled = { readonly signal?: AbortSignal }

export type Jobs = {
  readonly routes: RouteFunctions
  /** Submits a job and resolves with its id. Repeated after a failure, it is stored once. */
  submit(job: Job, more?: Partial<Omit<Submission, 'job'>>, options?: Signalled): Promise<string>
  /** Waits for the answers. Rejects with JobFailedError where the job ends without any. */
  wait(id: string, options?: Signalled): Promise<readonly JobResult[]>
  /** The events of a job until it ends, over connections that break. */
  stream(id: string, options?: StreamOptions): AsyncGenerator<JobEvent>
  detail(id: string, options?: Signalled): Promise<JobDetail>
  /** What strangers need to verify the answers; `assay/proof` verifies it. */
  bundle(id: string, options?: Signalled): Promise<ReceiptBundle>
  cancel(id: string, options?: Signalled): Promise<void>
  /** The jobs of the project, newest first; the next page is fetched when it is needed. */
  list(filter?: Routes['listJobs']['input'], options?: Signalled): AsyncGenerator<ListedJob>
}

function routeFunctions(send: ReturnType<typeof createSend>): RouteFunctions {
  const names = Object.keys(ROUTES) as (keyof Routes)[]
  const functions = names.map((name) => [
    name,
    (input: Routes[typeof name]['input'] = {}, options: RequestOptions = {}) =>
      callRoute(send, name, input, options),
  ])
  return Object.fromEntries(functions) as RouteFunctions
}

/** A client of the dispatcher at a URL. `project` is the default of `from` in submissions. */
export function createJobs(options: JobsOptions & { readonly project?: string }): Jobs {
  const send = createSend(options)
  const routes = routeFunctions(send)
  const stream: Jobs['stream'] = (id, more) => jobEvents(send, id, more)
  const detail: Jobs['detail'] = async (id, more) =>
    (await routes.jobDetail({ job_id: id }, more)).result

  return {
    routes,
    stream,
    detail,
    async submit(job, { from = options.project, ...more } = {}, signalled = {}) {
      if (from === undefined)
        throw new TypeError('a submission needs its project: give project to createJobs, or from')
      // A repetition of the same request finds the job that the first one stored.
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const answer = await routes.submitJob({ ...more, from, job }, { ...signalled, headers })
      return answer.result
    },
    async wait(id, signalled = {}) {
      let end: JobEnd | undefined
      for await (const { event } of stream(id, signalled)) if (isJobEnd(event)) end = event
      if (end === 'completed') return (await routes.jobResults({ job_id: id }, signalled)).result
      const { reason } = await detail(id, signalled)
      throw new JobFailedError(id, end ?? 'failed', reason)
    },
    bundle: async (id, more) => (await routes.jobReceipt({ job_id: id }, more)).result,
    cancel: async (id, more) => {
      await routes.cancelJob({ job_id: id }, more)
    },
    async *list(filter = {}, more = {}) {
      let { before } = filter
      do {
        const page = await routes.listJobs(
          { ...filter, ...(before !== undefined && { before }) },
          more,
        )
        yield* page.result
        before = page.next
      } while (before !== undefined)
    },
  }
}
