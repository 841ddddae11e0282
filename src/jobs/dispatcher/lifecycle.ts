/**
 * The life of a job: every state, every transition, and what causes it. The life of a job's assignments to operators is
 * in lifecycle/assignments.ts. The dispatcher's SQL takes its lists of states from both (lifecycle/predicates.ts),
 * triggers in the database refuse what they do not list (lifecycle/triggers.ts), and docs/job-lifecycle.md shows them.
 * A change needs a migration with the new triggers, whose SQL a test prints.
 */
import type { JobEnd, JobState } from '../../proof/job/job.ts'
import { ABSENT, type Lifecycle } from './lifecycle/machine.ts'

export type JobPhase = 'unfinished' | 'finished'
export type JobCause =
  | 'submit'
  | 'hand-out'
  | 'settle'
  | 'deadline'
  | 'cancel'
  | 'retry'
  | 'review'
  | 'remove'

const IS_FINISHED = 'new.finished_at is not null'
const IS_NEW_ROUND = 'new.finished_at is null and new.round > old.round'

/** The life of a row of `jobs`. Unfinished jobs have no `finished_at`, finished ones have it. */
export const JOB_LIFECYCLE = {
  table: 'jobs',
  states: {
    created: {
      phase: 'unfinished',
      means: 'Stored; no operator has been handed the job since its submission or its retry.',
      left: 'By the hand-out to the first operator. Without one it ends at its deadline, or when its project cancels it.',
    },
    dispatched: {
      phase: 'unfinished',
      means: 'An operator has been handed the job.',
      left: 'When the hand-outs of a round are over: it is completed or failed, or stays for another round. Until then it can be cancelled or reach its deadline.',
    },
    completed: {
      phase: 'finished',
      means:
        'There is an answer, or k equal ones where the project wants k of n operators to agree.',
      left: 'By the review of its user (a tagged job), which has it verified again; else by its removal.',
    },
    failed: {
      phase: 'finished',
      means:
        'Every operator refused, too many hand-outs brought no result, or the answers kept differing.',
      left: 'By a retry of its project, or by its removal.',
    },
    expired: {
      phase: 'finished',
      means:
        'The deadline passed without an answer, or with fewer equal ones than its project requires.',
      left: 'By a retry of its project, or by its removal.',
    },
    cancelled: {
      phase: 'finished',
      means: 'Its project cancelled it. Answers that come later are not recorded.',
      left: 'By a retry of its project, or by its removal.',
    },
  },
  causes: {
    submit: {
      what: 'A client submits jobs.',
      code: ['submit/submit.ts', 'insertJobs'],
    },
    'hand-out': {
      what: 'A connected operator with a free slot takes a lease.',
      code: ['schedule.ts', 'claimAssignments'],
    },
    settle: {
      what: 'Something closed an assignment of the current round: a result, a refusal, a lease that ran out, an operator that left.',
      code: ['settle.ts', 'settleJobs'],
    },
    deadline: {
      what: 'A dispatcher looks for jobs whose deadline has passed, four times a second.',
      code: ['schedule.ts', 'expireJobs'],
    },
    cancel: {
      what: 'The project asks: `POST /api/job/cancel`.',
      code: ['control.ts', 'cancelJob'],
    },
    retry: {
      what: 'The project asks: `POST /api/job/retry`.',
      code: ['control.ts', 'retryJob'],
    },
    review: {
      what: 'A tagged job of the same user is submitted.',
      code: ['review/watch.ts', 'verifyAgain'],
    },
    remove: {
      what: 'The project asks (`POST /api/job/delete`), or `dispatcher.retention` is over.',
      code: ['removal.ts', 'removeJob'],
    },
  },
  transitions: [
    {
      from: [ABSENT],
      to: 'created',
      cause: 'submit',
      guard: 'Token, rate and quota allow it, and its idempotency key is new.',
    },
    {
      from: ['created'],
      to: 'dispatched',
      cause: 'hand-out',
      guard: 'It is the first hand-out.',
      requires: 'new.dispatched_at is not null',
    },
    {
      from: ['created', 'dispatched'],
      to: 'completed',
      cause: 'settle',
      guard: 'There are enough answers of this verification.',
      requires: IS_FINISHED,
    },
    {
      from: ['dispatched'],
      to: 'failed',
      cause: 'settle',
      guard: 'No assignment is pending, and every operator refused or no tries remain.',
      requires: IS_FINISHED,
    },
    {
      from: ['created'],
      to: 'created',
      cause: 'settle',
      guard: 'Operators left before they got it: another round with a new seed.',
    },
    {
      from: ['dispatched'],
      to: 'dispatched',
      cause: 'settle',
      guard:
        'Nobody was drawn, hand-outs were lost, or answers differ, and tries remain: the next operators, or another round with a new seed.',
    },
    {
      from: ['created', 'dispatched'],
      to: 'completed',
      cause: 'deadline',
      guard:
        'There is an answer, of whichever round, or as many equal ones as its project requires.',
      requires: IS_FINISHED,
    },
    {
      from: ['created', 'dispatched'],
      to: 'expired',
      cause: 'deadline',
      guard: 'There is no answer, or not enough equal ones.',
      requires: IS_FINISHED,
    },
    {
      from: ['created', 'dispatched'],
      to: 'cancelled',
      cause: 'cancel',
      guard: 'Always.',
      requires: IS_FINISHED,
    },
    {
      from: ['failed', 'expired', 'cancelled'],
      to: 'created',
      cause: 'retry',
      guard: 'Always; with a new round, a new seed and a new deadline.',
      requires: IS_NEW_ROUND,
    },
    {
      from: ['completed'],
      to: 'dispatched',
      cause: 'review',
      guard:
        "It is one of the user's last ten jobs; with a new round, a new seed and a new deadline.",
      requires: IS_NEW_ROUND,
    },
    {
      from: ['completed', 'failed', 'expired', 'cancelled'],
      to: ABSENT,
      cause: 'remove',
      guard: 'Always; all that belongs to the job goes with it.',
    },
  ],
} as const satisfies Lifecycle<JobState, JobPhase, JobCause> & {
  readonly states: { readonly [State in JobState]: { phase: PhaseOf<State> } }
}

type PhaseOf<State> = State extends JobEnd ? 'finished' : 'unfinished'
