/** Random steps of an operation, by the contract and by the engine. */
import { expect } from 'vitest'
import { seededRandom } from '../randomProgram.ts'
import { openKernelSteps } from './kernelSteps.ts'
import type { Operation } from './operations/operation.ts'
import { openSteps } from './rig.ts'

const engine = openKernelSteps()
const steps = openSteps()

/** Fails at the first of `count` steps about which they disagree; its seed is in the message. */
export function expectAgreement({ name, compare }: Operation, count: number, seed: number): void {
  for (let i = 0; i < count; i++) {
    const own = seed * 1_000_003 + i
    const { found, expected } = engine.scoped(() => compare(seededRandom(own), engine, steps))
    expect({ name, seed: own, values: found }).toEqual({ name, seed: own, values: expected })
  }
}
