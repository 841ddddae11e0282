/** Idempotency keys, rate limits and quotas. */
import { sql } from 'kysely'

/**
 * - projects: limits of their own; null means the dispatcher's default.
 * - idempotency_keys: the job that a client's key identifies, and the hash of the request it was first sent with.
 * - rate_buckets: token buckets that all replicas share. Unlogged, so that taking from one does not wait for the disk:
 *   after a crash
 *   of the database they are full again.
 * - project_days: how many jobs a project submitted on a day (UTC).
 */
export const limits = sql`
  alter table projects
    add column jobs_per_minute integer check (jobs_per_minute >= 0),
    add column token_jobs_per_minute integer check (token_jobs_per_minute >= 0),
    add column jobs_per_day integer check (jobs_per_day >= 0);
  alter table project_tokens add column last_used_at timestamptz;

  create table idempotency_keys (
    project text not null references projects,
    key text not null,
    fingerprint bytea not null,
    job_id text not null references jobs on delete cascade deferrable initially deferred,
    created_at timestamptz not null default now(),
    primary key (project, key)
  );
  create index idempotency_keys_age on idempotency_keys (created_at);
  create index idempotency_keys_job on idempotency_keys (job_id);

  create unlogged table rate_buckets (
    scope text primary key,
    tokens double precision not null,
    granted integer not null,
    filled_at timestamptz not null
  );

  create table project_days (
    project text not null references projects,
    day date not null,
    jobs bigint not null,
    granted bigint not null,
    primary key (project, day)
  );
`
