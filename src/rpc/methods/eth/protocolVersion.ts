import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'

const PROTOCOL_VERSION = 0x41

export const eth_protocolVersion = method({
  // See D49.
  summary: 'Version of the Ethereum wire protocol that responses follow: 0x41.',
  params: {},
  result: quantityResult,
  handler: () => PROTOCOL_VERSION,
})
