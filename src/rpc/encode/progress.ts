/** Progress of a node that is catching up, as eth_syncing and its subscription report it. */
import { z } from 'zod'
import { toQuantity } from '../../base/quantity.ts'
import { quantityShape } from '../../wire/shapes.ts'
import type { SyncProgress } from '../world.ts'

export const progressShape = z.strictObject({
  startingBlock: quantityShape,
  currentBlock: quantityShape,
  highestBlock: quantityShape,
})

/** Heights as QUANTITY. */
export function encodeProgress(progress: SyncProgress): z.output<typeof progressShape> {
  return {
    startingBlock: toQuantity(progress.startingBlock),
    currentBlock: toQuantity(progress.currentBlock),
    highestBlock: toQuantity(progress.highestBlock),
  }
}
