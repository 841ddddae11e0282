/** The payload of eth_simulateV1: blocks of calls, each under overrides. */
import { z } from 'zod'
import { guarded, list } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { callObject } from './callObject.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'

const blockStateCall = z.object({
  blockOverrides,
  stateOverrides,
  calls: list(callObject, BOUNDS.simulatedCalls)
    .nullish()
    .transform((calls) => calls ?? []),
})

function callCount(value: unknown): number {
  if (!Array.isArray(value)) return 0
  let count = 0
  for (const block of value as readonly { readonly calls?: unknown }[]) {
    const calls: unknown = block?.calls
    if (Array.isArray(calls)) count += calls.length
  }
  return count
}

const blockStateCalls = guarded(list(blockStateCall, BOUNDS.list), {
  max: BOUNDS.simulatedCalls,
  unit: 'calls',
  measure: callCount,
})

const flag = z
  .boolean()
  .nullish()
  .transform((value) => value === true)

export const simulatePayload = z.object({
  blockStateCalls,
  /** Value transfers appear as ERC-20 logs of 0xeee…. */
  traceTransfers: flag,
  /** Enforces the rules of a real block: nonces, fees, senders without code. */
  validation: flag,
  returnFullTransactions: flag,
})

export type SimulatePayload = z.output<typeof simulatePayload>
