import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { encodeReceipt } from '../../../proof/receiptEncoding.ts'
import { method, type Result } from '../../../wire/method.ts'
import { dataShape } from '../../../wire/shapes.ts'
import type { Node } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'

const receiptsResult: Result<readonly Uint8Array[]> = {
  schema: z.array(dataShape),
  encode: (receipts) => receipts.map(toHex),
}

export const debug_getRawReceipts = method({
  summary: 'The receipts of a block as EIP-2718 bytes, over which its receiptsRoot is.',
  params: { block },
  result: receiptsResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => {
    const { height } = requireHeader(chain, block)
    return (chain.receipts(height) ?? []).map(encodeReceipt)
  },
})
