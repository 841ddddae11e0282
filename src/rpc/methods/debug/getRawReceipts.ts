import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { encodeReceipt } from '../../../proof/receiptEncoding.ts'
import { method, type Result } from '../../../wire/method.ts'
import { dataShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { isPending } from '../../pending/atBlock.ts'

const receiptsResult: Result<readonly Uint8Array[]> = {
  schema: z.array(dataShape),
  encode: (receipts) => receipts.map(toHex),
}

export const debug_getRawReceipts = method({
  summary: 'Receipts of a block as EIP-2718 bytes, the leaves of its receiptsRoot.',
  params: { block },
  result: receiptsResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) => {
    // As in go-ethereum: it finds none by the hash of a block that is not decided (D61).
    if (isPending(block)) return []
    const { height } = requireHeader(chain, block)
    return (chain.receipts(height) ?? []).map(encodeReceipt)
  },
})
