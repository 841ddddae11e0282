/** The payload of eth_simulateV1: blocks of calls, each under overrides. */
import { z } from 'zod'
import { callObject } from './callObject.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'

const blockStateCall = z.object({
  blockOverrides,
  stateOverrides,
  calls: z
    .array(callObject)
    .nullish()
    .transform((calls) => calls ?? []),
})

const flag = z
  .boolean()
  .nullish()
  .transform((value) => value === true)

export const simulatePayload = z.object({
  blockStateCalls: z.array(blockStateCall).min(1, 'empty input'),
  /** Value transfers appear as ERC-20 logs of 0xeee…. */
  traceTransfers: flag,
  /** Enforces the rules of a real block: nonces, fees, senders without code. */
  validation: flag,
  returnFullTransactions: flag,
})

export type SimulatePayload = z.output<typeof simulatePayload>
