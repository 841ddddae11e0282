import { method } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { hashResult } from '../../encode/results.ts'
import { submit } from '../../sending/submit.ts'

export const eth_sendRawTransaction = method({
  summary: 'Adds a signed transaction (EIP-2718 bytes) to the pool and returns its hash.',
  params: { transaction: data },
  result: hashResult,
  // The senders of a whole batch are recovered together; the pool adds the transactions in order.
  overlaps: true,
  handler: ({ pool }: Pick<World, 'pool'>, { transaction }) => submit(pool, transaction),
})
