/** Committees: whom a round is for. */
import { sql } from 'kysely'

/**
 * - jobs.drawn: number of operators that the round is for; jobs.spare: whether there were more of them then (D104). Both begin
 *   again with a new seed, as the block does.
 * - assignments_leases: which leases have run out, without a look at the others (D105).
 * - sessions.changed_at: when the operator connected, or changed its offer: what replicas have not read yet.
 */
export const committees = sql`
  alter table jobs add column drawn integer not null default 0,
    add column spare boolean not null default false;
  update jobs set drawn = 1 where planned and state in ('created', 'dispatched');
  alter table sessions add column changed_at timestamptz not null default now();
  create index sessions_changed on sessions (changed_at);
  create index assignments_leases on assignments (lease_until) where state = 'open';
  create or replace function forget_draw_block() returns trigger language plpgsql as $$
    begin
      new.draw_block = null;
      new.draw_block_hash = null;
      new.drawn = 0;
      new.spare = false;
      return new;
    end
  $$;
`
