import { z } from 'zod'
import { method, type Result } from '../../wire/method.ts'
import { encodeReceipt, receiptShape, type PlacedReceipt } from '../encode/receipt.ts'
import type { Node } from '../node.ts'
import { receiptsOf } from '../read.ts'
import { block, findHeader } from '../selector.ts'

const receiptsResult: Result<readonly PlacedReceipt[] | undefined> = {
  schema: z.array(receiptShape).nullable(),
  encode: (receipts) =>
    receipts?.map(({ transaction, receipt, position }) =>
      encodeReceipt(transaction, receipt, position),
    ) ?? null,
}

export const eth_getBlockReceipts = method({
  summary: 'Receipts of all transactions of a block, in order; null for an unknown block.',
  params: { block },
  result: receiptsResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => {
    const header = findHeader(chain, block)
    return header && receiptsOf(chain, header)
  },
})
