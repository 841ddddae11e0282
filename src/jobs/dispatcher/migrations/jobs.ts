/** The tables of jobs and of the operators that do them. */
import { sql } from 'kysely'

/**
 * - projects, project_tokens: who may submit. A token is kept as its SHA-256 only; a project may have several (D27).
 * - jobs: one row per job. `request` is the job object as submitted; `round` counts draws, each with a seed of its own;
 *   `planned` says that the round's assignments exist; `failures` counts unsuccessful hand-outs.
 * - assignments: a round's operators. waiting -> open (leased) -> answered, unselected, refused or lost (D29).
 * - draws, results: what operators sent and the dispatcher verified; each once per operator and round (D24, D31).
 * - operators, sessions: who has ever proved a key, and who is connected to which replica now.
 */
export const jobs = sql`
  create sequence dispatcher_clock;

  create table projects (
    id text primary key,
    name text not null,
    created_at timestamptz not null default now()
  );

  create table project_tokens (
    hash bytea primary key,
    project text not null references projects,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
  );
  create index project_tokens_project on project_tokens (project);

  create table jobs (
    id text primary key,
    project text not null references projects,
    user_id bytea not null,
    tag text not null check (tag in ('', 'suspicion', 'malicious')),
    position text not null default '' check (position in ('', 'before', 'after')),
    type text not null check (type in ('opml', 'tee')),
    model text not null,
    request bytea not null,
    seed text not null,
    round integer not null default 0,
    planned boolean not null default false,
    failures integer not null default 0,
    state text not null default 'created'
      check (state in ('created', 'dispatched', 'completed', 'failed', 'expired', 'cancelled')),
    reason text not null default '',
    clock json not null,
    run_at timestamptz not null default now(),
    deadline_at timestamptz not null,
    dispatched_at timestamptz,
    finished_at timestamptz,
    created_at timestamptz not null default now()
  );
  create index jobs_unplanned on jobs (run_at)
    where not planned and state in ('created', 'dispatched');
  create index jobs_deadline on jobs (deadline_at) where state in ('created', 'dispatched');
  create index jobs_user on jobs (project, user_id, created_at);

  create table assignments (
    job_id text not null references jobs,
    operator text not null,
    round integer not null,
    state text not null default 'waiting'
      check (state in ('waiting', 'open', 'answered', 'unselected', 'refused', 'lost')),
    lease uuid,
    lease_until timestamptz,
    clock json,
    reason text not null default '',
    created_at timestamptz not null default now(),
    primary key (job_id, operator, round)
  );
  create unique index assignments_lease on assignments (lease);
  create index assignments_waiting on assignments (operator, created_at) where state = 'waiting';
  create index assignments_open on assignments (operator, lease_until) where state = 'open';

  create table draws (
    job_id text not null references jobs,
    operator text not null,
    round integer not null,
    vrf json not null,
    created_at timestamptz not null default now(),
    primary key (job_id, operator, round)
  );

  create table results (
    verify_id text primary key,
    job_id text not null references jobs,
    operator text not null,
    round integer not null,
    output bytea not null,
    vrf json not null,
    clock json not null,
    signature text not null,
    statement json not null,
    evidence json,
    evidence_level text not null
      check (evidence_level in ('none', 'hardware', 'software-insecure')),
    tag text not null,
    created_at timestamptz not null default now(),
    unique (job_id, operator, round)
  );

  create table operators (
    address text primary key,
    range_start bigint not null,
    range_end bigint not null,
    range_max bigint not null,
    first_seen timestamptz not null default now(),
    last_seen timestamptz not null default now()
  );

  create table sessions (
    operator text primary key references operators,
    session text not null unique,
    replica uuid not null,
    workers text[] not null,
    models text[] not null,
    slots integer not null,
    seen_at timestamptz not null default now()
  );
  create index sessions_replica on sessions (replica);
`
