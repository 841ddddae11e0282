import { z } from 'zod'
import { oneOfForms } from '../../../base/boundedSchema.ts'
import { method } from '../../../wire/method.ts'
import { address, booleanResult, quantity } from '../../../wire/schema.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import { delegate } from '../../parameters/delegate.ts'
import type { World } from '../../world.ts'
import { passphrase } from './schemas.ts'

const DEFAULT_SECONDS = 300

const number = z.number().min(0)

/** A JSON number or a QUANTITY; 300 seconds when it is absent or null (D43). */
const seconds = oneOfForms(() => [quantity, number])
  .transform((value, context): number => {
    if (value === undefined || value === null) return DEFAULT_SECONDS
    if (typeof value === 'string') return Number(delegate(quantity, value, context))
    return delegate(number, value, context)
  })
  .meta({
    description: 'seconds, as a JSON number or QUANTITY; default 300, 0 until the node exits',
  })

export const personal_unlockAccount = method({
  // See D14, D43.
  summary:
    'Keeps the key of an account in memory for a time, for use by eth_sign and eth_sendTransaction.',
  params: { address, passphrase, duration: seconds },
  result: booleanResult,
  handler: async (
    { accounts }: Pick<World, 'accounts'>,
    { address, passphrase, duration },
    { principal },
  ) => {
    const limit = duration === 0 ? undefined : duration
    await orAccountFailure(accounts.unlock(address, passphrase, limit, principal))
    return true
  },
})
