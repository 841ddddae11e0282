import { keccak256 } from '../../../base/keccak.ts'
import { method } from '../../../wire/method.ts'
import { data, dataResult } from '../../../wire/schema.ts'

export const web3_sha3 = method({
  summary: 'Keccak-256 (not the standardized SHA3-256) of the bytes.',
  params: { input: data },
  result: dataResult,
  handler: (_world: unknown, { input }) => keccak256(input),
})
