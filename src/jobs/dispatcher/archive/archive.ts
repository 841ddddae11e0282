/**
 * Finished jobs whose retention is over, in objects of a bucket instead of the database (D107). Prompts, results and traces stay
 * encrypted with the key of their project; what is read back is read as if it were still in the tables.
 */
import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql, type Kysely } from 'kysely'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import type { ObjectStore } from './objectStore.ts'

const BATCH = 100
/** An object is not filled beyond this, in bytes, unless one job is larger. */
const OBJECT_BYTES = 8 * 1024 * 1024
/** What a job may take when it is unpacked, in bytes. */
const MAX_RECORD = 256 * 1024 * 1024

/** What can be read of a job: the database, or an archived job that stands in for it. */
export type JobSource = Pick<Kysely<DispatcherTables>, 'selectFrom'>

type Old = { readonly id: string; readonly finished: string }
type Part = Old & { readonly bytes: Buffer }

/** Moves jobs that finished longer ago than `retentionMs` to the archive, in batches. */
export async function archiveOldJobs(
  store: DispatcherSql,
  objects: ObjectStore,
  retentionMs: number,
): Promise<void> {
  if (retentionMs === 0) return
  for (;;) {
    const { rows } = await sql<Old>`
      select id, finished_at::text as finished from jobs
      where finished_at < now() - ${retentionMs} * interval '1 millisecond'
      order by finished_at, id limit ${BATCH}`.execute(store.db)
    let parts: Part[] = []
    let size = 0
    for (const row of rows) {
      const bytes = await pack(store, row.id)
      if (bytes === undefined) continue
      parts.push({ ...row, bytes })
      size += bytes.length
      if (size < OBJECT_BYTES) continue
      await move(store, objects, parts)
      parts = []
      size = 0
    }
    await move(store, objects, parts)
    if (rows.length < BATCH) return
  }
}

/** All rows of a job, compressed; undefined if it was removed. */
async function pack({ db }: DispatcherSql, id: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ record: string }>`
    select json_build_object(
      'jobs', json_build_array(row_to_json(j)),
      'assignments', (select coalesce(json_agg(row_to_json(a)), '[]') from assignments a where a.job_id = j.id),
      'draws', (select coalesce(json_agg(row_to_json(d)), '[]') from draws d where d.job_id = j.id),
      'results', (select coalesce(json_agg(row_to_json(r)), '[]') from results r where r.job_id = j.id)
    )::text as record from jobs j where j.id = ${id}`.execute(db)
  return rows[0] && gzipSync(rows[0].record)
}

/**
 * Stores an object, and then, in one statement, replaces the jobs by their places in it; one that went on meanwhile stays. Replicas
 * that do the same at once store the same object.
 */
async function move(
  { db }: DispatcherSql,
  objects: ObjectStore,
  parts: readonly Part[],
): Promise<void> {
  const [first] = parts
  if (first === undefined) return
  const content = Buffer.concat(parts.map(({ bytes }) => bytes))
  const day = first.finished.slice(0, 10).replaceAll('-', '/')
  const object = `jobs/${day}/${createHash('sha256').update(content).digest('hex')}.json.gz`
  await objects.put(object, content)
  let at = 0
  const offsets = parts.map(({ bytes }) => (at += bytes.length) - bytes.length)
  await sql`
    with moved as (
      select * from unnest(
        ${parts.map(({ id }) => id)}::text[], ${parts.map(({ finished }) => finished)}::timestamptz[],
        ${offsets}::integer[], ${parts.map(({ bytes }) => bytes.length)}::integer[]
      ) as moved(id, finished, part_offset, part_length)
    ),
    gone as (
      delete from jobs using moved where jobs.id = moved.id and jobs.finished_at = moved.finished
      returning jobs.id, jobs.project
    )
    insert into archived_jobs (id, project, object, part_offset, part_length, finished_at)
    select moved.id, gone.project, ${object}, moved.part_offset, moved.part_length, moved.finished
    from moved join gone on gone.id = moved.id`.execute(db)
}

/** An archived job as tables with its rows; undefined if there is none, or the archive has lost it. Rejects with ObjectStoreError. */
export async function openArchived(
  { db }: DispatcherSql,
  objects: ObjectStore,
  id: string,
): Promise<JobSource | undefined> {
  const { rows } = await sql<{ object: string; part_offset: number; part_length: number }>`
    select object, part_offset, part_length from archived_jobs where id = ${id}`.execute(db)
  const [place] = rows
  if (place === undefined) return undefined
  const part = { offset: place.part_offset, length: place.part_length }
  const packed = await objects.get(place.object, part)
  if (packed === undefined) return undefined
  const record = gunzipSync(packed, { maxOutputLength: MAX_RECORD }).toString()
  const rowsOf = <Table extends 'jobs' | 'assignments' | 'draws' | 'results'>(table: Table) =>
    sql<DispatcherTables[Table]>`(select * from json_populate_recordset(
      null::${sql.table(table)}, ${record}::json -> ${sql.lit(table)}))`
  // The names of these expressions hide the tables of the same names.
  return db
    .with('jobs', () => rowsOf('jobs'))
    .with('assignments', () => rowsOf('assignments'))
    .with('draws', () => rowsOf('draws'))
    .with('results', () => rowsOf('results'))
}
