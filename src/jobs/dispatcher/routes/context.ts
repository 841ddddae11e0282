/** What the routes depend on, and the identification of their callers. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Log } from '../../../base/log.ts'
import type { Tracer } from '../../../base/tracing/tracer.ts'
import { JOB_ID } from '../../../proof/job/job.ts'
import type { ZodTypeProvider } from '../../zodRoutes.ts'
import type { Access } from '../access/access.ts'
import { ApiError } from '../apiError.ts'
import { openArchived, type JobSource } from '../archive/archive.ts'
import type { ObjectStore } from '../archive/objectStore.ts'
import type { Committees } from '../committees.ts'
import type { Handouts } from '../handouts.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { BundleSource } from '../receipts/bundle.ts'
import type { Progress } from '../progress.ts'
import { bearerOf, UNAUTHENTICATED } from '../requestBody.ts'
import { failure } from '../schemas.ts'
import type { Submitter } from '../submit/submit.ts'
import type { DispatcherSql } from '../tables.ts'
import type { Vault } from '../vault/vault.ts'

export type RouteContext = {
  readonly sql: DispatcherSql
  readonly vault: Vault
  readonly access: Access
  readonly receipts: BundleSource
  readonly submitter: Submitter
  /** Who serves what, for warnings. */
  readonly committees: Committees
  readonly progress: Progress
  /** Where jobs are whose retention is over; undefined if they are deleted. */
  readonly archive: ObjectStore | undefined
  readonly metrics: DispatcherMetrics
  readonly tracer?: Tracer | undefined
  /** Deadline of a job whose submission does not set one. */
  readonly deadlineMs: number
  readonly openReads: boolean
  readonly unknownModel: 'wait' | 'refuse'
  /** Called when there may be jobs to hand out. */
  readonly wake: () => void
  readonly log: Log
  /** What the operators connected here do at the moment. */
  readonly handouts: Handouts
  /** Tells the operators connected here that a job is over. */
  readonly halt: (job: string) => void
}

/** An application whose handlers are typed by their zod schemas. */
export type App = ReturnType<typeof typed>

/** Gives an application from `createHttpApp` this type. */
export function typed(app: FastifyInstance) {
  return app.withTypeProvider<ZodTypeProvider>()
}

/** The `traceparent` header of a request, unread. */
export function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers
  return typeof traceparent === 'string' ? traceparent : undefined
}

/** Error bodies, for the OpenAPI document. */
export const refusals = {
  400: failure,
  401: failure,
  403: failure,
  404: failure,
  409: failure,
  413: failure,
  415: failure,
  422: failure,
  429: failure,
  500: failure,
  503: failure,
}

/** Who may use routes that show jobs, for the OpenAPI document. */
export function accessOfReaders({
  openReads,
}: Pick<RouteContext, 'openReads'>): 'reader' | 'project' {
  return openReads ? 'reader' : 'project'
}

/** The project whose jobs the caller may read; undefined for all. A job of another project is treated as unknown. */
export async function readerOf(
  { openReads, access }: RouteContext,
  request: FastifyRequest,
  verify?: string,
): Promise<string | undefined> {
  return openReads ? undefined : ownerOf({ access }, request, verify)
}

/** The project of the caller's token. Throws ApiError 401. */
export async function ownerOf(
  { access }: Pick<RouteContext, 'access'>,
  request: FastifyRequest,
  verify?: string,
): Promise<string> {
  const token = verify ?? bearerOf(request)
  const project = token === undefined ? undefined : await access.projectOf(token)
  if (project === undefined) throw new ApiError(401, UNAUTHENTICATED)
  return project
}

/** What `find` finds of a job in the database, or else in the archive. */
export async function inAnySource<Found>(
  { sql, archive }: Pick<RouteContext, 'sql' | 'archive'>,
  id: string,
  find: (source: JobSource) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await find(sql.db)
  if (found !== undefined || archive === undefined || !JOB_ID.test(id)) return found
  const archived = await openArchived(sql, archive, id)
  return archived && find(archived)
}

/** The error for an unknown job id. */
export function unknownJob(): ApiError {
  return new ApiError(404, 'there is no such job')
}
