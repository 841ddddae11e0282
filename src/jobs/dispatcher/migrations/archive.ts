/** Jobs that were moved to the archive. */
import { sql } from 'kysely'

/** archived_jobs: where in the archive a job is: an object, and its part of the object in bytes (D107). */
export const archive = sql`
  create table archived_jobs (
    id text primary key,
    project text not null references projects,
    object text not null,
    part_offset integer not null,
    part_length integer not null,
    finished_at timestamptz not null
  );
`
