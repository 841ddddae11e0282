/** How the states of jobs look. */
import type { JobState } from '../../../src/proof/job/job.ts'
import type { Tone } from '../parts/Badge.tsx'

/** In the order of a job's life. */
const TONES: Readonly<Record<JobState, Tone>> = {
  created: 'warn',
  dispatched: 'warn',
  completed: 'good',
  failed: 'bad',
  expired: 'bad',
  cancelled: 'plain',
}

/** All states, in the order of a job's life. */
export const STATES = Object.keys(TONES) as readonly JobState[]

/** The tone of a state; of one that is not known yet, that of a job under way. */
export function toneOf(state: string): Tone {
  return (TONES as Readonly<Record<string, Tone>>)[state] ?? 'warn'
}
