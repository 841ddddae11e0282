import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'

export const eth_blobBaseFee = method({
  // See D19.
  summary: 'Always 0x1, the minimum: blocks carry no blobs.',
  params: {},
  result: quantityResult,
  handler: () => 1n,
})
