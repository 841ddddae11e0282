/** Every rule of the house. */
import type { Checkout } from '../checkout.ts'
import type { Fault } from '../fault.ts'
import type { Module } from '../modules.ts'
import { arrowFaults, circles, staleArrows } from './arrows.ts'
import { cycleFaults } from './cycles.ts'
import { decisionFaults } from './decisions.ts'
import { machineFaults } from './machine.ts'
import { parsingFaults } from './parsing.ts'
import { wordFaults } from './words.ts'

/** All faults of a checkout, exceptions included. */
export function faultsOf(
  modules: ReadonlyMap<string, Module>,
  checkout: Checkout,
): readonly Fault[] {
  return [
    ...arrowFaults(checkout, modules),
    ...staleArrows(modules),
    ...circles(),
    ...machineFaults(modules),
    ...cycleFaults(modules),
    ...decisionFaults(checkout),
    ...parsingFaults(modules),
    ...wordFaults(checkout),
  ]
}
