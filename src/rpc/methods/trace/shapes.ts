/** The results of OpenEthereum's trace module. */
import { z } from 'zod'
import type { Result } from '../../../wire/method.ts'
import { dataShape, quantityShape } from '../../../wire/shapes.ts'

const traceShape = z.looseObject({
  action: z.looseObject({}),
  result: z.looseObject({}).nullable(),
  error: z.string().optional(),
  subtraces: z.int(),
  traceAddress: z.array(z.int()),
  type: z.enum(['call', 'create', 'suicide']),
})

/** One trace, or null. */
export const traceResult: Result<unknown> = {
  schema: traceShape.nullable(),
  encode: (trace) => trace ?? null,
}

/** A list of traces, or null for an unknown transaction or block. */
export const tracesResult: Result<unknown> = {
  schema: z.array(traceShape).nullable(),
  encode: (traces) => traces ?? null,
}

/** The steps of a frame. Those of a step's subcall are nested in it, so the shape ends here. */
const vmTraceShape = z.strictObject({
  code: dataShape,
  ops: z.array(
    z.strictObject({
      pc: z.int(),
      cost: z.int(),
      ex: z
        .strictObject({
          used: z.int(),
          push: z.array(quantityShape),
          mem: z.strictObject({ off: z.int(), data: dataShape }).nullable(),
          store: z.strictObject({ key: quantityShape, val: quantityShape }).nullable(),
        })
        .nullable(),
      sub: z.looseObject({ code: dataShape, ops: z.array(z.looseObject({})) }).nullable(),
    }),
  ),
})

const replayShape = z.strictObject({
  output: z.string(),
  trace: z.array(traceShape),
  stateDiff: z.unknown(),
  vmTrace: vmTraceShape.nullable(),
  transactionHash: z.string().optional(),
})

/** The result of a replay, which is already written as JSON. */
export const replayResult: Result<unknown> = { schema: replayShape, encode: (replay) => replay }

/** The result of a replay, for each transaction. */
export const replaysResult: Result<unknown> = {
  schema: z.array(replayShape),
  encode: (replays) => replays,
}
