/** One operation of the integer engine, in a random case: what the contract says of it, and what the engine does. */
import type { Random } from '../../randomProgram.ts'
import type { KernelSteps } from '../kernelSteps.ts'
import type { Steps } from '../rig.ts'

/** Numbers, or that nobody can run a model that has the row. */
export type Outcome = readonly bigint[] | 'refused'

export type Comparison = { readonly found: Outcome; readonly expected: Outcome }

export type Operation = {
  readonly name: string
  compare(random: Random, engine: KernelSteps, steps: Steps): Comparison
}
