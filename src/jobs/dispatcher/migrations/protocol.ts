/** Protocol 2: blocks that draws are bound to, and the steps of executions. */
import { sql } from 'kysely'

/**
 * - sessions.protocol, assignments.protocol: the version that an operator speaks, and in which a job was handed to it.
 * - jobs.draw_block, draw_block_hash: the block that the round's draws are bound to (D32): its number is fixed before
 *   it exists. A
 *   new seed is bound to a new block, so that neither can be chosen to suit the other.
 * - jobs.request_hash: SHA-256 of the request; SHA-256 of the first seed and this hash is the id. Null in older rows.
 * - results.trace: the steps of an execution (encrypted: it contains the tokens of the prompt).
 */
export const protocol = sql`
  alter table sessions add column protocol smallint not null default 1;
  alter table assignments add column protocol smallint not null default 1;
  alter table jobs add column draw_block bigint, add column draw_block_hash text,
    add column request_hash bytea;
  create index jobs_unbound on jobs (run_at)
    where draw_block_hash is null and not planned and state in ('created', 'dispatched');
  alter table results add column trace bytea;

  create function forget_draw_block() returns trigger language plpgsql as $$
    begin
      new.draw_block = null;
      new.draw_block_hash = null;
      return new;
    end
  $$;
  create trigger jobs_new_seed before update of seed on jobs for each row
    when (old.seed <> new.seed)
    execute function forget_draw_block();
`
