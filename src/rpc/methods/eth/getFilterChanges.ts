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
import type { World } from '../../world.ts'
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

type Needs = Pick<World, 'filters' | 'pool' | 'chain'>

/** By now a transaction may be in a block, or dropped. */
function transactionsOf(
  { pool, chain }: Needs,
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
  summary: 'Logs, hashes or transactions that a filter has collected since the last poll.',
  params: { id: filterId },
  result: changesResult,
  handler: (world: Needs, { id }): Changes => {
    const kind = world.filters.find(id)
    const changes = world.filters.changes(id)
    if (!kind || !changes) throw filterNotFound()
    if (changes.type !== 'hashes' || kind.type !== 'pending' || kind.isFull !== true) return changes
    return { type: 'transactions', transactions: transactionsOf(world, changes.hashes) }
  },
})
