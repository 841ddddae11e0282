/** Sets of states, and tests of the state of a row that was read. SQL statements use predicates.ts instead. */
import type { JobEnd, JobState } from '../../../proof/job/job.ts'
import { JOB_LIFECYCLE, type JobPhase } from '../lifecycle.ts'
import { ASSIGNMENT_LIFECYCLE, type AssignmentState } from './assignments.ts'
import { allStates, statesAfter, statesBefore, statesIn } from './machine.ts'

/** All states of jobs. */
export const JOB_STATES = allStates<JobState>(JOB_LIFECYCLE)

/** States of unfinished jobs. */
export const UNFINISHED_JOB_STATES = statesIn<JobState, JobPhase>(JOB_LIFECYCLE, 'unfinished')

/** Final states without an answer that the project did not request: these jobs are among its dead letters. */
export const DEAD_LETTER_STATES = ['failed', 'expired'] as const satisfies readonly JobEnd[]

/** Final states of assignments after which another round of the job makes sense. */
export const INCONCLUSIVE_STATES = [
  'unselected',
  'lost',
] as const satisfies readonly AssignmentState[]

const RECORDED = statesAfter(ASSIGNMENT_LIFECYCLE, 'result')
const ANSWERABLE = statesBefore(ASSIGNMENT_LIFECYCLE, 'result')

/** Whether a job is finished. */
export function isFinished(state: JobState): state is JobEnd {
  return JOB_LIFECYCLE.states[state].phase === 'finished'
}

/** Whether the operator's result is already stored. */
export function isRecorded(state: AssignmentState): boolean {
  return RECORDED.includes(state)
}

/** Whether the assignment's state still allows a result. */
export function isAnswerable(state: AssignmentState): boolean {
  return ANSWERABLE.includes(state)
}
