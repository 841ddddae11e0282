/** A state machine as a table, and the queries on it that SQL, documents and tests need. */

/** A row that does not exist: before its insertion and after its removal. The notation is UML's. */
export const ABSENT = '[*]'

/** Description of one state. */
export type StateEntry<Phase extends string> = {
  readonly phase: Phase
  /** What a row in this state is waiting for, or how it ended. */
  readonly means: string
  /** How a row leaves it. */
  readonly left: string
}

/** What causes a transition: one function of the dispatcher. */
export type CauseEntry = {
  /** On whose behalf, and when it runs. */
  readonly what: string
  /** File of the dispatcher, with the function in it. */
  readonly code: readonly [file: string, name: string]
}

/** Rows in a state of `from` go to `to`. If both are the same, the row begins another round. */
export type Transition<State extends string, Cause extends string> = {
  readonly from: readonly (State | typeof ABSENT)[]
  readonly to: State | typeof ABSENT
  readonly cause: Cause
  /** When this cause takes this transition. */
  readonly guard: string
  /** What the database requires of the rows `old` and `new` in addition: an SQL condition that is never null. */
  readonly requires?: string
}

/** The life cycle of one table's rows, in its column `state`. */
export type Lifecycle<State extends string, Phase extends string, Cause extends string> = {
  readonly table: string
  readonly states: Readonly<Record<State, StateEntry<Phase>>>
  readonly causes: Readonly<Record<Cause, CauseEntry>>
  readonly transitions: readonly Transition<State, Cause>[]
}

/** A lifecycle with any names. */
export type AnyLifecycle = Lifecycle<string, string, string>

/** All states, in the order of the table. */
export function allStates<State extends string>(lifecycle: {
  readonly states: Readonly<Record<State, unknown>>
}): readonly State[] {
  return Object.keys(lifecycle.states) as State[]
}

/** States of a phase. */
export function statesIn<State extends string, Phase extends string>(
  lifecycle: Lifecycle<State, Phase, string>,
  phase: Phase,
): readonly State[] {
  return allStates(lifecycle).filter((state) => lifecycle.states[state].phase === phase)
}

/** States that rows leave by a cause. */
export function statesBefore<State extends string, Cause extends string>(
  lifecycle: Lifecycle<State, string, Cause>,
  cause: Cause,
): readonly State[] {
  return allStates(lifecycle).filter((state) =>
    lifecycle.transitions.some((row) => row.cause === cause && row.from.includes(state)),
  )
}

/** States that rows enter by a cause. */
export function statesAfter<State extends string, Cause extends string>(
  lifecycle: Lifecycle<State, string, Cause>,
  cause: Cause,
): readonly State[] {
  return allStates(lifecycle).filter((state) =>
    lifecycle.transitions.some((row) => row.cause === cause && row.to === state),
  )
}

/** Whether the table lists a transition between two states, by one of the causes if any are given. */
export function mayGo(
  lifecycle: AnyLifecycle,
  from: string,
  to: string,
  causes?: readonly string[],
): boolean {
  return lifecycle.transitions.some(
    (row) =>
      row.to === to &&
      row.from.includes(from) &&
      (causes === undefined || causes.includes(row.cause)),
  )
}
