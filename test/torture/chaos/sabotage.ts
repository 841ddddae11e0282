/** The guarantees taken away, to see that the audit notices: one that cannot fail proves nothing. */
import { sql } from 'kysely'
import type { System } from './system.ts'

/** Nobody takes back what operators went silent about: that update changes no row any more. */
export async function withoutReaper({ store }: System): Promise<void> {
  await sql`
    create function keep_lease() returns trigger language plpgsql as 'begin return null; end';
    create trigger without_reaper before update of state on assignments for each row
      when (old.state = 'open' and new.state = 'lost' and old.lease_until < now())
      execute function keep_lease();`.execute(store.db)
}

/** Nothing is unique any more, and an answered hand-out can be answered again. */
export async function withoutUniqueness({ store }: System): Promise<void> {
  await sql`
    alter table results drop constraint results_pkey,
      drop constraint results_job_id_operator_round_key;
    alter table draws drop constraint draws_pkey;
    alter table receipts drop constraint receipts_pkey;
    create function forget_answer() returns trigger language plpgsql as
      'begin new.state = ''lost''; return new; end';
    create trigger without_uniqueness before update of state on assignments for each row
      when (new.state = 'answered')
      execute function forget_answer();`.execute(store.db)
}
