import { z } from 'zod'
import { createJsonBytes } from '../../../base/jsonBytes.ts'
import { createSlices } from '../../../base/slices.ts'
import type { BlockHeader } from '../../../chain/block.ts'
import type { ChainReader } from '../../../chain/reader.ts'
import { method, type Result } from '../../../wire/method.ts'
import { rawJson, type RawJson } from '../../../wire/rawJson.ts'
import { receiptShape, writeReceipt } from '../../encode/receipt.ts'
import type { World } from '../../world.ts'
import { receiptAt } from '../../lookups/read.ts'
import { block, findHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

const receiptsResult: Result<RawJson | null> = {
  schema: z.array(receiptShape).nullable(),
  encode: (receipts) => receipts,
}

/** The list of a block's receipts, read and written in slices. */
async function encodeReceipts(chain: ChainReader, header: BlockHeader): Promise<RawJson> {
  const json = createJsonBytes()
  const slices = createSlices()
  json.text('[')
  for (let index = 0; ; index++) {
    const placed = receiptAt(chain, header, index)
    if (placed === undefined) break
    if (index > 0) json.text(',')
    writeReceipt(json, placed)
    if (slices.isOver()) await slices.next()
  }
  json.text(']')
  return rawJson(json.pieces())
}

export const eth_getBlockReceipts = method({
  summary: 'Receipts of all transactions of a block, in order; null if the block is unknown.',
  params: { block },
  result: receiptsResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { block }) =>
    atBlock(world, block, ({ chain, block }) => {
      const header = findHeader(chain, block)
      return header === undefined ? null : encodeReceipts(chain, header)
    }),
})
