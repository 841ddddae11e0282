import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import type { FilterChanges } from '../../../events/filters.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hashShape } from '../../../wire/shapes.ts'
import { encodeLogs, logShape } from '../../encode/log.ts'
import {
  encodeTransaction,
  transactionShape,
  type PlacedTransaction,
} from '../../encode/transaction.ts'
import { filterId, filterNotFound } from '../../subscriptions/filterIds.ts'
import type { Node } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'

type Changes =
  | FilterChanges
  | { readonly type: 'transactions'; readonly transactions: readonly PlacedTransaction[] }

function encode(changes: Changes): unknown {
  if (changes.type === 'logs') return encodeLogs(changes.logs)
  if (changes.type === 'hashes') return changes.hashes.map(toHex)
  return changes.transactions.map(({ transaction, position }) =>
    encodeTransaction(transaction, position),
  )
}

const changesResult: Result<Changes> = {
  schema: z.union([z.array(hashShape), z.array(logShape), z.array(transactionShape)]),
  encode,
}

type World = Pick<Node, 'filters' | 'pool' | 'chain'>

/** By now a transaction may be in a block, or gone. */
function transactionsOf(
  { pool, chain }: World,
  hashes: readonly Uint8Array[],
): readonly PlacedTransaction[] {
  return hashes.flatMap((hash): readonly PlacedTransaction[] => {
    const transaction = pool.get(hash)
    if (transaction) return [{ transaction, position: undefined }]
    const included = findIncluded(chain, hash)
    return included ? [included] : []
  })
}

export const eth_getFilterChanges = method({
  summary: 'What a filter has to report since the last poll: logs, hashes, or transactions.',
  params: { id: filterId },
  result: changesResult,
  handler: (world: World, { id }): Changes => {
    const kind = world.filters.find(id)
    const changes = world.filters.changes(id)
    if (!kind || !changes) throw filterNotFound()
    if (changes.type !== 'hashes' || kind.type !== 'pending' || kind.isFull !== true) return changes
    return { type: 'transactions', transactions: transactionsOf(world, changes.hashes) }
  },
})
