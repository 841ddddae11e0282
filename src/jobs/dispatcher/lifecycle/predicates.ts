/**
 * SQL conditions on the states of jobs and assignments. The states are literals in the statement, not bound parameters:
 * the planner uses a partial index only for a condition that it can see.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { JobState } from '../../../proof/job/job.ts'
import { JOB_LIFECYCLE, type JobCause, type JobPhase } from '../lifecycle.ts'
import {
  ASSIGNMENT_LIFECYCLE,
  type AssignmentCause,
  type AssignmentPhase,
  type AssignmentState,
} from './assignments.ts'
import { statesBefore, statesIn } from './machine.ts'

type Condition = RawBuilder<SqlBool>

/** The job in `column` is in a phase. */
export function jobIs(phase: JobPhase, column = 'state'): Condition {
  return jobIn(statesIn<JobState, JobPhase>(JOB_LIFECYCLE, phase), column)
}

/** The job in `column` can be moved by a cause. */
export function jobMay(cause: JobCause, column = 'state'): Condition {
  return jobIn(statesBefore<JobState, JobCause>(JOB_LIFECYCLE, cause), column)
}

/** The job in `column` is in one of these states. */
export function jobIn(states: readonly JobState[], column = 'state'): Condition {
  return stateIn(column, states)
}

/** The assignment in `column` is in a phase. */
export function assignmentIs(phase: AssignmentPhase, column = 'state'): Condition {
  return assignmentIn(statesIn(ASSIGNMENT_LIFECYCLE, phase), column)
}

/** The assignment in `column` can be moved by a cause. */
export function assignmentMay(cause: AssignmentCause, column = 'state'): Condition {
  return assignmentIn(statesBefore(ASSIGNMENT_LIFECYCLE, cause), column)
}

/** The assignment in `column` is in one of these states. */
export function assignmentIn(states: readonly AssignmentState[], column = 'state'): Condition {
  return stateIn(column, states)
}

function stateIn(column: string, states: readonly string[]): Condition {
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(states.map((state) => sql.lit(state)))})`
}
