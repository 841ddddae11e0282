/** Random events that fit the jobs which are there. */
import { OPERATORS, type JobEvent, type JobEvents, type OwnedJob } from './jobEvents.ts'
import { pick, type Random } from './randomProgram.ts'

/** Few jobs, so that many events meet the same one. */
const MAX_JOBS = 4

/** The next event of a random walk. */
export function nextJobEvent(
  events: JobEvents,
  random: Random,
  projects: readonly string[],
  jobs: readonly OwnedJob[],
): JobEvent {
  const some = () => OPERATORS.filter(() => random(3) > 0)
  const submission = () =>
    events.submit(
      pick(random, projects),
      pick(random, ['a', 'b']),
      pick(random, ['', '', '', 'suspicion']),
    )
  if (jobs.length === 0) return submission()
  const job = pick(random, jobs)
  const leases = events.leases.slice(-6)
  const lease = leases[random(6)]
  const choices: readonly (readonly [weight: number, event: () => JobEvent])[] = [
    [jobs.length < MAX_JOBS ? 4 : 0, submission],
    [4, () => events.plan(some())],
    [5, () => events.handOut(some())],
    ...(lease === undefined
      ? []
      : ([
          [12, () => events.answer(lease, pick(random, ['same', 'same', 'other', undefined]))],
          [3, () => events.refuse(lease, random(2) === 0)],
        ] as const)),
    [2, () => events.reap(random(2) === 0 ? [] : some(), lease)],
    [1, () => events.passDeadline(job)],
    [1, () => events.cancel(job)],
    [2, () => events.retry(job)],
    [jobs.length < MAX_JOBS ? 1 : 4, () => events.remove(job)],
    [1, () => events.passRetention(job)],
  ]
  let rest = random(choices.reduce((sum, [weight]) => sum + weight, 0))
  const chosen = choices.find(([weight]) => (rest -= weight) < 0)
  return (chosen?.[1] ?? submission)()
}
