/** Hand-outs that no operator could begin. */
import { sql } from 'kysely'

/**
 * - jobs.postponed: number of hand-outs that were no attempts, because the operator was not available (D102).
 * - A job that nobody was handed does not fail any more: the output of lifecycle/triggers.ts at the time of writing.
 */
export const patience = sql`
  alter table jobs add column postponed integer not null default 0;
  drop trigger if exists jobs_transition on jobs;
  create trigger jobs_transition after update of state on jobs for each row
    when (old.state <> new.state and not (
      (old.state in ('failed', 'expired', 'cancelled') and new.state = 'created' and new.finished_at is null and new.round > old.round) or
      (old.state = 'created' and new.state = 'dispatched' and new.dispatched_at is not null) or
      (old.state = 'completed' and new.state = 'dispatched' and new.finished_at is null and new.round > old.round) or
      (old.state in ('created', 'dispatched') and new.state = 'completed' and new.finished_at is not null) or
      (old.state = 'dispatched' and new.state = 'failed' and new.finished_at is not null) or
      (old.state in ('created', 'dispatched') and new.state = 'expired' and new.finished_at is not null) or
      (old.state in ('created', 'dispatched') and new.state = 'cancelled' and new.finished_at is not null)))
    execute function refuse_transition();
`
