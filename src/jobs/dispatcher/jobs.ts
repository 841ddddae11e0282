/** Jobs as clients see them: detail, results. */
import { sql } from 'kysely'
import { canonicalModel } from '../../base/modelName.ts'
import { JOB_ID, type VectorClock } from '../../proof/job/job.ts'
import { submittedJob, type DetailRecord, type ResultRecord } from './schemas.ts'
import type { JobSource } from './archive/archive.ts'
import type { JobHeads } from './jobHeads.ts'
import type { DispatcherSql } from './tables.ts'
import { place, type Vault } from './vault/vault.ts'

/** A time in the format of records: UTC, whatever the session's time zone (D28). */
const shownTime = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`

/** Whether any connected operator accepts jobs of this type for this model. */
export async function isServed(
  { db }: DispatcherSql,
  type: string,
  model: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('operator')
    .where(sql<boolean>`${type} = any(workers) and ${canonicalModel(model)} = any(models)`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The detail record of a job, or undefined when it does not exist (or, with `project`, is not of this project). */
export async function findDetail(
  db: JobSource,
  vault: Vault,
  id: string,
  project?: string,
): Promise<DetailRecord | undefined> {
  if (!JOB_ID.test(id)) return undefined
  const job = await db
    .selectFrom('jobs')
    .select(['project', 'request', 'user_id', 'type', 'tag', 'clock', 'state', 'reason'])
    .select('submitted_tag')
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
  const request = await vault.open(job.project, place.request(id), job.request)
  return {
    id,
    job: submittedJob.parse(JSON.parse(request.toString())),
    user: job.user_id.toString(),
    job_type: job.type,
    status: job.dispatched ? 'dispatched' : 'created',
    // Jobs of former releases have the effective one alone (D60).
    tag: job.submitted_tag ?? job.tag,
    effective_tag: job.tag,
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

/**
 * The results of a job, oldest first; undefined when it does not exist (or, with `project`, is not of this project).
 */
export async function findResults(
  db: JobSource,
  heads: JobHeads,
  vault: Vault,
  id: string,
  project?: string,
): Promise<ResultRecord[] | undefined> {
  if (!JOB_ID.test(id)) return undefined
  const job = await heads(id)
  if (job === undefined || (project !== undefined && job.project !== project)) return undefined
  if (!job.isAnswered) return []
  const rows = await db
    .selectFrom('results')
    .select(['verify_id', 'operator', 'output', 'vrf', 'clock', 'signature', 'tag'])
    .select(shownTime('created_at').as('created'))
    .where('job_id', '=', id)
    .orderBy('round')
    .orderBy('created_at')
    .orderBy('operator')
    .execute()
  const outputs = await Promise.all(
    rows.map((row) => vault.open(job.project, place.output(row.verify_id), row.output)),
  )
  return rows.map((row, at) => ({
    id: `_${id}_${row.tag}`,
    job_id: id,
    operator: row.operator,
    result: outputs[at]?.toString() ?? '',
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
