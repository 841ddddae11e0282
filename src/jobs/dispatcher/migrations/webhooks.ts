/** Webhooks of projects, and their pending deliveries. */
import { sql } from 'kysely'

/**
 * - projects.webhook_url, webhook_secret (sealed): where to report finished jobs.
 * - webhook_deliveries: written by the same statement that ends a job, whichever that is, so that no notification is
 *   lost.
 */
export const webhooks = sql`
  alter table projects add column webhook_url text, add column webhook_secret bytea;

  create table webhook_deliveries (
    id uuid primary key default gen_random_uuid(),
    project text not null references projects,
    job_id text not null references jobs on delete cascade,
    state text not null,
    reason text not null,
    finished_at timestamptz not null,
    attempts integer not null default 0,
    run_at timestamptz not null default now(),
    outcome text not null default 'waiting' check (outcome in ('waiting', 'delivered', 'given up')),
    error text not null default ''
  );
  create index webhook_deliveries_waiting on webhook_deliveries (run_at) where outcome = 'waiting';
  create index webhook_deliveries_job on webhook_deliveries (job_id);

  create function note_job_end() returns trigger language plpgsql as $$
    begin
      insert into webhook_deliveries (project, job_id, state, reason, finished_at)
        select new.project, new.id, new.state, new.reason, new.finished_at
        from projects where id = new.project and webhook_url is not null;
      return null;
    end
  $$;
  create trigger jobs_end after update of state on jobs for each row
    when (old.finished_at is null and new.finished_at is not null)
    execute function note_job_end();
`
