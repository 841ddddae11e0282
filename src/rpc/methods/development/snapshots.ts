/** Snapshots, and reverting to them. */
import { oneOfForms } from '../../../base/boundedSchema.ts'
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { nothingResult } from '../../encode/results.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import { amount, doneResult, goingBack, type DevelopmentParts } from './method.ts'

const idResult: Result<number> = { schema: quantityShape, encode: toQuantity }

export const snapshot = method({
  summary: 'Takes a snapshot of the chain and returns its number.',
  params: {},
  result: idResult,
  handler: ({ development }: DevelopmentParts) => development.snapshot(),
})

export const revert = method({
  summary:
    'Reverts all blocks since a snapshot. Uses up this snapshot and all later ones; false if it is unknown.',
  params: { id: amount },
  result: booleanResult,
  handler: ({ development }: DevelopmentParts, { id }) =>
    goingBack(() => development.revert(Number(id))),
})

export const rollback = method({
  summary: 'Reverts the last blocks: how many (default 1).',
  params: { depth: amount.nullish() },
  result: nothingResult,
  handler: ({ development }: DevelopmentParts, { depth }) =>
    goingBack(() => development.rollBack(Number(depth ?? 1n))),
})

export const reset = method({
  summary: 'Reverts all blocks but the first. Forking another chain is not supported.',
  params: { options: oneOfForms(() => []).optional() },
  result: doneResult,
  handler: ({ development }: DevelopmentParts) => goingBack(() => development.reset()),
})
