/** What a poll for results needs of a job, read for all polls that come together (D133). */
import { sql } from 'kysely'
import type { JobType } from '../../proof/job/job.ts'
import { createBatcher } from '../../base/batcher.ts'
import type { JobSource } from './archive/archive.ts'

export type JobHead = {
  readonly project: string
  readonly type: JobType
  /** Whether there are results. */
  readonly isAnswered: boolean
}

/** Finds the head of a job by its id. */
export type JobHeads = (id: string) => Promise<JobHead | undefined>

/** Jobs of one query. */
const MAX_JOBS = 500

/** The heads of the jobs of a source. */
export function jobHeads(db: JobSource): JobHeads {
  const batcher = createBatcher(async (ids: readonly string[]) => {
    const rows = await db
      .selectFrom('jobs')
      .select(['id', 'project', 'type'])
      .select((row) =>
        row
          .exists(
            row
              .selectFrom('results')
              .select('results.verify_id')
              .whereRef('results.job_id', '=', 'jobs.id'),
          )
          .as('answered'),
      )
      .where(sql<boolean>`jobs.id = any(${ids})`)
      .execute()
    return new Map(
      rows.map(({ id, project, type, answered }) => [
        id,
        { project, type, isAnswered: Boolean(answered) },
      ]),
    )
  }, MAX_JOBS)
  return (id) => batcher.find(id)
}
