import { method } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { hashResult } from '../../encode/results.ts'
import { submit } from '../../sending/submit.ts'

export const eth_sendRawTransaction = method({
  summary: 'Takes a signed transaction (EIP-2718 bytes) into the pool and gives its hash.',
  params: { transaction: data },
  result: hashResult,
  // The senders of a whole batch are recovered together; the pool takes the transactions in their order.
  overlaps: true,
  handler: ({ pool }: Pick<Node, 'pool'>, { transaction }) => submit(pool, transaction),
})
