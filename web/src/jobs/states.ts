/** How the states of jobs look. */
import { JOB_ENDS, type JobState } from '../../../src/proof/job/job.ts'
import type { Tone } from '../parts/Badge.tsx'

/** All states, in the order of a job's life. */
export const STATES: readonly JobState[] = ['created', 'dispatched', ...JOB_ENDS]

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'plain',
}

/** The tone of a state; whatever is not at its end is under way. */
export function toneOf(state: string): Tone {
  return TONES[state] ?? 'warn'
}
