import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'

export const eth_blobBaseFee = method({
  summary: 'Always 0x1, the least there can be: blocks carry no blobs (D19).',
  params: {},
  result: quantityResult,
  handler: () => 1n,
})
