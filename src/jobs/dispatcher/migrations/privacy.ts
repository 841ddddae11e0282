/** Data keys of projects, and the removal of jobs. */
import { sql } from 'kysely'

/**
 * - project_keys: each project's data key, encrypted with the key of the dispatcher's key file. jobs.request and
 *   results.output are encrypted with it (vault/seal.ts); older rows stay in plain text until they are removed.
 * - What belongs to a job is deleted with it.
 */
export const privacy = sql`
  create table project_keys (
    project text primary key references projects,
    wrapped bytea not null
  );
  alter table assignments drop constraint assignments_job_id_fkey,
    add foreign key (job_id) references jobs on delete cascade;
  alter table draws drop constraint draws_job_id_fkey,
    add foreign key (job_id) references jobs on delete cascade;
  alter table results drop constraint results_job_id_fkey,
    add foreign key (job_id) references jobs on delete cascade;
  create index jobs_finished on jobs (finished_at) where finished_at is not null;
`
