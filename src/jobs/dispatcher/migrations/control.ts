/** Priorities, and an index of jobs that failed or expired. */
import { sql } from 'kysely'

/** jobs.priority: higher ones are handed out first. */
export const control = sql`
  alter table jobs add column priority smallint not null default 0;
  drop index jobs_unplanned;
  create index jobs_unplanned on jobs (type, model, priority desc, run_at)
    where not planned and state in ('created', 'dispatched');
  create index jobs_dead on jobs (project, finished_at) where state in ('failed', 'expired');
`
