/** The triggers that refuse what a lifecycle does not list, as SQL. Migrations hold frozen copies of it. */
import { ABSENT, allStates, mayGo, type AnyLifecycle } from './machine.ts'

/** The function that every trigger calls. It is called only for transitions that are refused. */
export const REFUSAL_SQL = `create or replace function refuse_transition() returns trigger language plpgsql as $$
  declare
    old_state text = coalesce(old.state, '${ABSENT}');
    new_state text = coalesce(new.state, '${ABSENT}');
    affected jsonb = to_jsonb(case when tg_op = 'DELETE' then old else new end);
  begin
    raise exception 'a row of % may not go from % to %', tg_table_name, old_state, new_state using
      errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, constraint = tg_name,
      detail = format('job %s', coalesce(affected->>'job_id', affected->>'id')),
      hint = 'The transitions, and what they require, are listed in docs/job-lifecycle.md.';
  end
$$;
`

/**
 * The triggers of one table. They are AFTER triggers: no other trigger can change the row after them, and PostgreSQL
 * does not lock the row in advance for them. The check is in their WHEN conditions, so no function is called for what
 * is allowed.
 */
export function triggersSql(lifecycle: AnyLifecycle): string {
  const { table } = lifecycle
  const states = allStates(lifecycle)
  const created = states.filter((to) => mayGo(lifecycle, ABSENT, to))
  const removable = states.filter((from) => mayGo(lifecycle, from, ABSENT))
  const moves = movesOf(lifecycle).map((move) => `\n    (${move})`)
  return [
    trigger(table, 'begin', 'insert', `not (${oneOf('new.state', created)})`),
    trigger(
      table,
      'transition',
      'update of state',
      `old.state <> new.state and not (${moves.join(' or')})`,
    ),
    ...(removable.length === states.length
      ? []
      : [trigger(table, 'removal', 'delete', `not (${oneOf('old.state', removable)})`)]),
  ].join('')
}

/** The conditions under which the state of a row may change, one for each new state with its requirement. */
function movesOf(lifecycle: AnyLifecycle): string[] {
  const rows = lifecycle.transitions
  return allStates(lifecycle).flatMap((to) =>
    [...new Set(rows.filter((row) => row.to === to).map(({ requires }) => requires))].flatMap(
      (requires) => {
        const before = allStates(lifecycle).filter(
          (state) =>
            state !== to &&
            rows.some(
              (row) => row.to === to && row.requires === requires && row.from.includes(state),
            ),
        )
        if (before.length === 0) return []
        const move = `${oneOf('old.state', before)} and new.state = '${to}'`
        return [requires === undefined ? move : `${move} and ${requires}`]
      },
    ),
  )
}

function trigger(table: string, name: string, event: string, condition: string): string {
  return `drop trigger if exists ${table}_${name} on ${table};
create trigger ${table}_${name} after ${event} on ${table} for each row
  when (${condition})
  execute function refuse_transition();
`
}

function oneOf(column: string, states: readonly string[]): string {
  const quoted = states.map((state) => `'${state}'`)
  return quoted.length === 1 ? `${column} = ${quoted[0]}` : `${column} in (${quoted.join(', ')})`
}
