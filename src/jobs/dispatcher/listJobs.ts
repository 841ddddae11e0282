/** A project's jobs, page by page (D146). */
import { sql } from 'kysely'
import { z } from 'zod'
import { canonicalModel, isModelReference } from '../../base/modelName.ts'
import { jobType, reviewTag } from '../../proof/job/shapes.ts'
import { jobIn } from './lifecycle/predicates.ts'
import { JOB_STATES } from './lifecycle/states.ts'
import type { DispatcherSql } from './tables.ts'

/** Where a page ended: the time of its last job in microseconds, and its id. */
const CURSOR = /^(\d{1,16})_([0-9a-f]{64})$/

/** Query of /api/jobs. */
export const jobListQuery = z.object({
  state: z.enum(JOB_STATES).optional(),
  model: z
    .string()
    .max(512)
    .refine(isModelReference, 'a model name')
    .optional()
    .describe('Jobs that name the model exactly so, with or without its pin.'),
  user: z.string().max(1024).optional(),
  before: z
    .string()
    .max(81)
    .regex(CURSOR, 'what `next` of a page was')
    .optional()
    .describe('Where the previous page ended: its `next`.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})

const time = z.string().describe('UTC, YYYY-MM-DD HH:MM:SS.')

/** A job of a list; prompt and results are shown by /api/job/detail and /api/job/result. */
export const listedJob = z.object({
  job_id: z.string(),
  state: z.enum(JOB_STATES),
  reason: z.string().describe('Why the job failed or expired; otherwise empty.'),
  job_type: jobType,
  model: z.string(),
  user: z.string(),
  tag: reviewTag.describe('As submitted.'),
  effective_tag: reviewTag,
  priority: z.int(),
  created_at: time,
  finished_at: time.nullable(),
})

export type ListedJob = z.infer<typeof listedJob>
export type JobList = { readonly jobs: ListedJob[]; readonly next?: string }

const shown = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`

/** Newest first. `next` is there if there may be more. Archived jobs are not among them: their rows are gone (D107). */
export async function listJobs(
  { db }: DispatcherSql,
  project: string,
  { state, model, user, before, limit }: z.infer<typeof jobListQuery>,
): Promise<JobList> {
  let rows = db
    .selectFrom('jobs')
    .select([
      'id',
      'state',
      'reason',
      'type',
      'model',
      'user_id',
      'tag',
      'submitted_tag',
      'priority',
    ])
    .select([shown('created_at').as('created'), shown('finished_at').as('finished')])
    .select(sql<bigint>`(extract(epoch from created_at) * 1000000)::bigint`.as('micros'))
    .where('project', '=', project)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (state !== undefined) rows = rows.where(jobIn([state]))
  if (model !== undefined) rows = rows.where('model', '=', canonicalModel(model))
  if (user !== undefined) rows = rows.where('user_id', '=', Buffer.from(user))
  const [, micros, id] = CURSOR.exec(before ?? '') ?? []
  if (micros !== undefined && id !== undefined)
    rows = rows.where(
      sql<boolean>`(created_at, id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id})`,
    )
  const found = await rows.execute()
  const last = found.at(-1)
  const jobs = found.map((row) => ({
    job_id: row.id,
    state: row.state,
    reason: row.reason,
    job_type: row.type,
    model: row.model,
    user: row.user_id.toString(),
    tag: row.submitted_tag ?? row.tag,
    effective_tag: row.tag,
    priority: row.priority,
    created_at: row.created,
    finished_at: row.finished,
  }))
  return last === undefined || found.length < limit
    ? { jobs }
    : { jobs, next: `${last.micros}_${last.id}` }
}
