/** Triggers that refuse what the lifecycles of jobs and assignments do not list. */
import { sql } from 'kysely'

/**
 * The output of lifecycle/triggers.ts at the time of writing. The lock comes first because dispatchers of the previous
 * version may be running: it waits for transactions that have locked a job's row but not yet written its assignments.
 */
export const lifecycle = sql`
  lock table jobs in access exclusive mode;
  create or replace function refuse_transition() returns trigger language plpgsql as $$
    declare
      old_state text = coalesce(old.state, '[*]');
      new_state text = coalesce(new.state, '[*]');
      affected jsonb = to_jsonb(case when tg_op = 'DELETE' then old else new end);
    begin
      raise exception 'a row of % may not go from % to %', tg_table_name, old_state, new_state using
        errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, constraint = tg_name,
        detail = format('job %s', coalesce(affected->>'job_id', affected->>'id')),
        hint = 'The transitions, and what they require, are listed in docs/job-lifecycle.md.';
    end
  $$;
  drop trigger if exists jobs_begin on jobs;
  create trigger jobs_begin after insert on jobs for each row
    when (not (new.state = 'created'))
    execute function refuse_transition();
  drop trigger if exists jobs_transition on jobs;
  create trigger jobs_transition after update of state on jobs for each row
    when (old.state <> new.state and not (
      (old.state in ('failed', 'expired', 'cancelled') and new.state = 'created' and new.finished_at is null and new.round > old.round) or
      (old.state = 'created' and new.state = 'dispatched' and new.dispatched_at is not null) or
      (old.state = 'completed' and new.state = 'dispatched' and new.finished_at is null and new.round > old.round) or
      (old.state in ('created', 'dispatched') and new.state = 'completed' and new.finished_at is not null) or
      (old.state in ('created', 'dispatched') and new.state = 'failed' and new.finished_at is not null) or
      (old.state in ('created', 'dispatched') and new.state = 'expired' and new.finished_at is not null) or
      (old.state in ('created', 'dispatched') and new.state = 'cancelled' and new.finished_at is not null)))
    execute function refuse_transition();
  drop trigger if exists jobs_removal on jobs;
  create trigger jobs_removal after delete on jobs for each row
    when (not (old.state in ('completed', 'failed', 'expired', 'cancelled')))
    execute function refuse_transition();
  drop trigger if exists assignments_begin on assignments;
  create trigger assignments_begin after insert on assignments for each row
    when (not (new.state = 'waiting'))
    execute function refuse_transition();
  drop trigger if exists assignments_transition on assignments;
  create trigger assignments_transition after update of state on assignments for each row
    when (old.state <> new.state and not (
      (old.state = 'waiting' and new.state = 'open' and new.lease is not null) or
      (old.state in ('open', 'lost') and new.state = 'answered' and new.lease is not null) or
      (old.state in ('open', 'lost') and new.state = 'unselected' and new.lease is not null) or
      (old.state in ('open', 'lost') and new.state = 'refused' and new.lease is not null) or
      (old.state in ('waiting', 'open') and new.state = 'lost')))
    execute function refuse_transition();
`
