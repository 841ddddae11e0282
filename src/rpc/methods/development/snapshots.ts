/** Snapshots, and the ways back to them. */
import { z } from 'zod'
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { nothingResult } from '../../encode/results.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import { amount, doneResult, goingBack, type World } from './method.ts'

const idResult: Result<number> = { schema: quantityShape, encode: toQuantity }

export const snapshot = method({
  summary: 'Takes a snapshot of the chain and gives its number.',
  params: {},
  result: idResult,
  handler: ({ development }: World) => development.snapshot(),
})

export const revert = method({
  summary:
    'Takes back all blocks since a snapshot, which is used up with all later ones; false for an unknown one.',
  params: { id: amount },
  result: booleanResult,
  handler: ({ development }: World, { id }) => goingBack(() => development.revert(Number(id))),
})

export const rollback = method({
  summary: 'Takes back so many blocks, one unless a number is given.',
  params: { depth: amount.nullish() },
  result: nothingResult,
  handler: ({ development }: World, { depth }) =>
    goingBack(() => development.rollBack(Number(depth ?? 1n))),
})

export const reset = method({
  summary: 'Takes back all blocks but the first. Forking another chain is not supported.',
  params: { options: z.unknown().optional() },
  result: doneResult,
  handler: ({ development }: World) => goingBack(() => development.reset()),
})
