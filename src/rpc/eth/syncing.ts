import { z } from 'zod'
import { toQuantity } from '../../base/quantity.ts'
import { method, type Result } from '../../wire/method.ts'
import { quantityShape } from '../../wire/shapes.ts'
import type { Node, SyncProgress } from '../node.ts'

const progressShape = z.strictObject({
  startingBlock: quantityShape,
  currentBlock: quantityShape,
  highestBlock: quantityShape,
})

const syncingResult: Result<SyncProgress | undefined> = {
  schema: z.union([z.literal(false), progressShape]),
  encode: (progress) =>
    progress !== undefined && {
      startingBlock: toQuantity(progress.startingBlock),
      currentBlock: toQuantity(progress.currentBlock),
      highestBlock: toQuantity(progress.highestBlock),
    },
}

export const eth_syncing = method({
  summary: 'false when the node has caught up, else how far it is.',
  params: {},
  result: syncingResult,
  handler: ({ syncing }: Pick<Node, 'syncing'>) => syncing(),
})
