/** Lives of jobs, told event by event: together they take every step of the lifecycles. */
import { OPERATORS, type JobEvent, type JobEvents, type Lease, type OwnedJob } from './jobEvents.ts'

/** One event of a story, about the job that was submitted last. */
export type Scene = (events: JobEvents, job: OwnedJob) => JobEvent | (JobEvent & OwnedJob)

const [ANN = '', BOB = '', CAT = ''] = OPERATORS

const submit: Scene = (events) => events.submit('any', 'u')
const submitAgreed: Scene = (events) => events.submit('agreed', 'u')
const submitTagged: Scene = (events) => events.submit('any', 'u', 'suspicion')
const plan: Scene = (events) => events.plan(OPERATORS)
const handOut =
  (...here: readonly string[]): Scene =>
  (events) =>
    events.handOut(here)
const answer =
  (operator: string): Scene =>
  (events, job) =>
    events.answer(leaseOf(events, job, operator), 'same')
const notDrawn =
  (operator: string): Scene =>
  (events, job) =>
    events.answer(leaseOf(events, job, operator))
const refuse =
  (operator: string): Scene =>
  (events, job) =>
    events.refuse(leaseOf(events, job, operator), false)
const fail =
  (operator: string): Scene =>
  (events, job) =>
    events.refuse(leaseOf(events, job, operator), true)
const fallSilent =
  (operator: string): Scene =>
  (events, job) =>
    events.reap([], leaseOf(events, job, operator))
const allLeave: Scene = (events) => events.reap(OPERATORS)
const passDeadline: Scene = (events, job) => events.passDeadline(job)
const passRetention: Scene = (events, job) => events.passRetention(job)
const cancel: Scene = (events, job) => events.cancel(job)
const retry: Scene = (events, job) => events.retry(job)
const remove: Scene = (events, job) => events.remove(job)

function leaseOf(events: JobEvents, job: OwnedJob, operator: string): Lease {
  const lease = events.leases.findLast((each) => each.job === job.id && each.operator === operator)
  if (lease === undefined) throw new Error(`${operator} was not handed the job`)
  return lease
}

const started = [submit, plan, handOut(...OPERATORS)]
/** Ann has answered, Bob has the job, Cat does not know of it yet. */
const halfDone = [submit, plan, handOut(ANN, BOB), answer(ANN)]

/** The stories; in the end of each the job is finished or removed. */
export const JOB_STORIES: Readonly<Record<string, readonly Scene[]>> = {
  'answered, and removed': [...started, answer(ANN), notDrawn(BOB), refuse(CAT), passRetention],
  'reviewed when another job of the user is tagged': [
    ...started,
    answer(ANN),
    answer(BOB),
    answer(CAT),
    submitTagged,
    plan,
    cancel,
    retry,
    passDeadline,
    retry,
    passDeadline,
    remove,
  ],
  'refused by everyone, retried, and nobody stays until the deadline': [
    ...started,
    refuse(ANN),
    refuse(BOB),
    refuse(CAT),
    retry,
    plan,
    allLeave,
    plan,
    allLeave,
    passDeadline,
    remove,
  ],
  'refused by everyone, and removed': [...started, refuse(ANN), refuse(BOB), refuse(CAT), remove],
  'late refusals and draws count in the same round': [
    ...started,
    fallSilent(ANN),
    refuse(ANN),
    fallSilent(BOB),
    notDrawn(BOB),
    fail(CAT),
  ],
  'a late answer counts, also at the deadline': [
    ...started,
    fallSilent(ANN),
    answer(ANN),
    passDeadline,
  ],
  'drawn again, until the deadline': [
    ...started,
    notDrawn(ANN),
    notDrawn(BOB),
    notDrawn(CAT),
    passDeadline,
  ],
  'two agree before the third one has it': [
    submitAgreed,
    plan,
    handOut(ANN, BOB),
    answer(ANN),
    answer(BOB),
  ],
  'two agree while the third one is at work': [
    submitAgreed,
    plan,
    handOut(...OPERATORS),
    answer(ANN),
    answer(BOB),
  ],
  'cancelled with an answer, retried, and completed when nobody stays': [
    ...halfDone,
    cancel,
    remove,
    ...halfDone,
    cancel,
    retry,
    plan,
    allLeave,
  ],
  'cancelled with an answer, retried, and completed at its deadline': [
    ...halfDone,
    cancel,
    retry,
    plan,
    passDeadline,
  ],
}
