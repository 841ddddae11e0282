import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'

const PROTOCOL_VERSION = 0x41

export const eth_protocolVersion = method({
  summary: 'Version of the Ethereum wire protocol that the answers follow: 0x41 (D49).',
  params: {},
  result: quantityResult,
  handler: () => PROTOCOL_VERSION,
})
