import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { requireSigner } from '../../sending/signer.ts'
import { typedData } from '../../parameters/typedData.ts'

export const eth_signTypedData_v4 = method({
  summary: 'Signs typed data (EIP-712) with an unlocked account.',
  params: { address, data: typedData },
  result: dataResult,
  handler: ({ accounts }: Pick<World, 'accounts'>, { address, data }, { principal }) =>
    requireSigner(accounts, address, principal).signTypedData(data),
})
