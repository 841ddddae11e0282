import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { logsResult } from '../../encode/log.ts'
import type { World } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'

export const eth_getTransactionLogs = method({
  summary: 'Logs of a transaction; empty while it is pending or unknown.',
  params: { transactionHash: hash },
  result: logsResult,
  handler: ({ chain }: Pick<World, 'chain'>, { transactionHash }) => {
    const found = findIncluded(chain, transactionHash)
    if (!found) return []
    const { header, index } = found.position
    const receipt = chain.receipt(header.height, index)
    return receipt ? [{ header, ...receipt.logs }] : []
  },
})
