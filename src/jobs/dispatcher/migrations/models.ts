/** Registered models, what operators say about theirs, and lists of jobs. */
import { sql } from 'kysely'

/**
 * - model_registry: what a name means (D143). Hashes are 0x and 64 digits, as in statements; null where anything will do.
 *   `source` is the chain for names of the registrar that the dispatcher follows (D147).
 * - sessions.offered: the offer as it came: `sessions.models` has those that the registry does not refuse, and each name with a pin
 *   where the operator states the file (D144). Null in rows that former releases wrote.
 * - sessions.refused: the others, with the reasons.
 * - operators.other_files: number of answers from another file than the registered or pinned one.
 * - jobs.submitted_tag: the tag as it was submitted (D60); null in older rows.
 * - jobs_listed, jobs_listed_model, jobs_listed_state: pages of a project's jobs. Most jobs are completed; pages of these are found
 *   by the first index.
 */
export const models = sql`
  create table model_registry (
    name text primary key check (length(name) between 1 and 256),
    sha256 text not null check (sha256 ~ '^0x[0-9a-f]{64}$'),
    model_root text check (model_root ~ '^0x[0-9a-f]{64}$'),
    template_hash text check (template_hash ~ '^0x[0-9a-f]{64}$'),
    token_list_hash text check (token_list_hash ~ '^0x[0-9a-f]{64}$'),
    source text not null default 'database' check (source in ('database', 'chain')),
    registered_at timestamptz not null default now()
  );
  alter table sessions add column offered json, add column refused json not null default '[]';
  alter table operators add column other_files bigint not null default 0;
  alter table jobs add column submitted_tag text check (submitted_tag in ('', 'suspicion', 'malicious'));
  create index jobs_listed on jobs (project, created_at, id);
  create index jobs_listed_model on jobs (project, model, created_at, id);
  create index jobs_listed_state on jobs (project, state, created_at, id) where state <> 'completed';
`
