/** The life of an assignment: one operator's part in one round of a job (D29). The job's own life is in ../lifecycle.ts. */
import { ABSENT, type Lifecycle } from './machine.ts'

/** State of an assignment of a job to an operator, in one round (D29). */
export type AssignmentState = keyof (typeof ASSIGNMENT_LIFECYCLE)['states']
export type AssignmentPhase = 'pending' | 'closed'
export type AssignmentCause =
  | 'plan'
  | 'hand-out'
  | 'result'
  | 'refusal'
  | 'reap'
  | 'settle'
  | 'deadline'
  | 'cancel'
  | 'remove'

const WAS_LEASED = 'new.lease is not null'

/** The life of a row of `assignments`: one operator's part in one round of a job. */
export const ASSIGNMENT_LIFECYCLE = {
  table: 'assignments',
  states: {
    waiting: {
      phase: 'pending',
      means: 'The job is for this operator, which has not been handed it yet.',
      left: 'By the hand-out to the operator; lost when the operator leaves or the job ends before.',
    },
    open: {
      phase: 'pending',
      means: 'The operator has it, under a lease that its heartbeats renew.',
      left: 'By what the operator sends; lost when the lease runs out or the job ends before.',
    },
    answered: {
      phase: 'closed',
      means: 'The draw selected the operator, and its answer is recorded.',
      left: 'By the removal of its job.',
    },
    unselected: {
      phase: 'closed',
      means: 'The draw did not select the operator; the draw is recorded.',
      left: 'By the removal of its job.',
    },
    refused: {
      phase: 'closed',
      means: 'The operator cannot do this job, and another try would not help.',
      left: 'By the removal of its job.',
    },
    lost: {
      phase: 'closed',
      means: 'No result: the operator left, fell silent or failed, or the job ended without it.',
      left: 'By a late result or refusal, which still counts while the job is in the same round; else by the removal of its job.',
    },
  },
  causes: {
    plan: {
      what: 'Connected operators serve the model of a job that is due, or the ones before brought nothing.',
      code: ['plan.ts', 'planJobs'],
    },
    'hand-out': {
      what: 'The operator is connected and has a free slot.',
      code: ['schedule.ts', 'claimAssignments'],
    },
    result: {
      what: 'The operator sends a draw, and an answer if it was selected, and all of it holds.',
      code: ['record.ts', 'recordResult'],
    },
    refusal: {
      what: 'The operator says that it cannot do the job, or sends something that does not hold.',
      code: ['record.ts', 'recordFailure'],
    },
    reap: {
      what: 'A dispatcher looks for operators that fell silent, left or cannot do the job any more, four times a second.',
      code: ['schedule.ts', 'reapAssignments'],
    },
    settle: {
      what: 'Enough other operators have agreed.',
      code: ['settle.ts', 'settleJobs'],
    },
    deadline: {
      what: 'The deadline of the job passed.',
      code: ['schedule.ts', 'expireJobs'],
    },
    cancel: {
      what: 'The project cancels the job.',
      code: ['control.ts', 'cancelJob'],
    },
    remove: {
      what: 'The job is removed.',
      code: ['removal.ts', 'removeJob'],
    },
  },
  transitions: [
    {
      from: [ABSENT],
      to: 'waiting',
      cause: 'plan',
      guard: 'The operator serves the model, and is drawn.',
    },
    {
      from: ['waiting'],
      to: 'open',
      cause: 'hand-out',
      guard: 'The job is unfinished, in the same round, and before its deadline.',
      requires: WAS_LEASED,
    },
    {
      from: ['open', 'lost'],
      to: 'answered',
      cause: 'result',
      guard: 'The job is unfinished and in the same round; the draw selects the operator.',
      requires: WAS_LEASED,
    },
    {
      from: ['open', 'lost'],
      to: 'unselected',
      cause: 'result',
      guard: 'The job is unfinished and in the same round; the draw does not select the operator.',
      requires: WAS_LEASED,
    },
    {
      from: ['open', 'lost'],
      to: 'refused',
      cause: 'refusal',
      guard: 'The job is unfinished and in the same round; another try would not help.',
      requires: WAS_LEASED,
    },
    {
      from: ['open'],
      to: 'lost',
      cause: 'refusal',
      guard: 'The job is unfinished and in the same round; another try may help.',
    },
    {
      from: ['waiting'],
      to: 'lost',
      cause: 'reap',
      guard: 'The operator is not connected any more, or cannot do the job any more.',
    },
    { from: ['open'], to: 'lost', cause: 'reap', guard: 'The lease ran out.' },
    { from: ['waiting', 'open'], to: 'lost', cause: 'settle', guard: 'The job is completed.' },
    { from: ['waiting', 'open'], to: 'lost', cause: 'deadline', guard: 'Always.' },
    { from: ['waiting', 'open'], to: 'lost', cause: 'cancel', guard: 'Always.' },
    {
      from: ['waiting', 'open', 'answered', 'unselected', 'refused', 'lost'],
      to: ABSENT,
      cause: 'remove',
      guard: 'Always.',
    },
  ],
} as const satisfies Lifecycle<string, AssignmentPhase, AssignmentCause>
