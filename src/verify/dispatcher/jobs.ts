/** Jobs as clients see them: submit (one statement), detail, results. */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { VectorClock } from '../job.ts'
import { submittedJob, type DetailRecord, type ResultRecord, type Submission } from './schemas.ts'
import type { DispatcherSql } from './tables.ts'

const JOB_ID = /^[0-9a-f]{64}$/

/** A time as records show it: UTC, whatever the session's zone (D28). */
const shownTime = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`

/**
 * Stores a job and returns its id: SHA-256 over a random salt and the request (D25). Once this resolves the job is not lost.
 * `dispatcher` is the address under which the dispatcher's events are counted.
 */
export async function insertJob(
  { db }: DispatcherSql,
  request: Submission,
  settings: { readonly dispatcher: string; readonly deadlineMs: number },
): Promise<string> {
  const job = JSON.stringify(request.job)
  const id = createHash('sha256')
    .update(randomBytes(32))
    .update(JSON.stringify([request.from, request.user, request.tag]))
    .update(job)
    .digest('hex')
  await db
    .insertInto('jobs')
    .values({
      id,
      project: request.from,
      user_id: Buffer.from(request.user),
      tag: request.tag,
      // A tagged job is the first of those that are watched from its tag on (D31).
      position: request.tag === '' ? '' : 'after',
      type: request.job.tag,
      model: request.job.model,
      request: Buffer.from(job),
      seed: randomBytes(32).toString('hex'),
      clock: sql<string>`json_build_object(${settings.dispatcher}::text, nextval('dispatcher_clock')::text)`,
      deadline_at: sql`now() + ${settings.deadlineMs} * interval '1 millisecond'`,
    })
    .execute()
  return id
}

/** Whether a connected operator takes jobs of this type for this model. */
export async function isServed(
  { db }: DispatcherSql,
  type: string,
  model: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('operator')
    .where(sql<boolean>`${type} = any(workers) and ${model} = any(models)`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The detail record of a job, or undefined when there is none (or, with `project`, none of this project). */
export async function findDetail(
  { db }: DispatcherSql,
  id: string,
  project?: string,
): Promise<DetailRecord | undefined> {
  if (!JOB_ID.test(id)) return undefined
  const job = await db
    .selectFrom('jobs')
    .select(['project', 'request', 'user_id', 'type', 'tag', 'clock', 'state', 'reason'])
    .select([
      shownTime('jobs.created_at').as('created'),
      sql<boolean>`dispatched_at is not null`.as('dispatched'),
    ])
    .select((row) =>
      row
        .selectFrom('draws')
        .select(
          sql<Draw[] | null>`json_agg(json_build_object(
            'operator', operator, 'round', round, 'vrf', vrf, 'created_at', ${shownTime('draws.created_at')}
          ) order by round, draws.created_at, operator)`.as('draws'),
        )
        .whereRef('draws.job_id', '=', 'jobs.id')
        .as('draws'),
    )
    .where('id', '=', id)
    .executeTakeFirst()
  if (job === undefined || (project !== undefined && job.project !== project)) return undefined
  return {
    id,
    job: submittedJob.parse(JSON.parse(job.request.toString())),
    user: job.user_id.toString(),
    job_type: job.type,
    status: job.dispatched ? 'dispatched' : 'created',
    tag: job.tag,
    clock: mutable(job.clock),
    created_at: job.created,
    state: job.state,
    reason: job.reason,
    draws: (job.draws ?? []).map(({ vrf, ...draw }) => ({ ...vrf, ...draw })),
  }
}

type Draw = Pick<DetailRecord['draws'][number], 'operator' | 'round' | 'created_at'> & {
  vrf: ResultRecord['vrf']
}

/** The results of a job, oldest first; undefined when there is no such job (or, with `project`, none of this project). */
export async function findResults(
  { db }: DispatcherSql,
  id: string,
  project?: string,
): Promise<ResultRecord[] | undefined> {
  if (!JOB_ID.test(id)) return undefined
  const job = await db
    .selectFrom('jobs')
    .select(['project', 'type'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (job === undefined || (project !== undefined && job.project !== project)) return undefined
  const rows = await db
    .selectFrom('results')
    .select(['verify_id', 'operator', 'output', 'vrf', 'clock', 'signature', 'tag'])
    .select(shownTime('created_at').as('created'))
    .where('job_id', '=', id)
    .orderBy('round')
    .orderBy('created_at')
    .orderBy('operator')
    .execute()
  return rows.map((row) => ({
    id: `_${id}_${row.tag}`,
    job_id: id,
    operator: row.operator,
    result: row.output.toString(),
    verify_id: row.verify_id,
    vrf: row.vrf,
    clock: mutable(row.clock),
    signature: row.signature,
    job_type: job.type,
    tag: row.tag,
    created_at: row.created,
  }))
}

function mutable(clock: VectorClock): Record<string, string> {
  return { ...clock }
}
