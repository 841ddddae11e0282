/** What a chain for development takes out of its pool. */
import { toHex, toHexDigits } from '../../../base/hex.ts'
import { method, type Result } from '../../../wire/method.ts'
import { address, booleanResult, hash } from '../../../wire/schema.ts'
import { hashShape } from '../../../wire/shapes.ts'
import { nothingResult } from '../../encode/results.ts'
import type { DevelopmentNode, World } from './method.ts'

const droppedResult: Result<Uint8Array | undefined> = {
  schema: hashShape.nullable(),
  encode: (dropped) => (dropped ? toHex(dropped) : null),
}

export const hardhatDrop = method({
  summary: 'Takes a transaction out of the pool; whether it was there.',
  params: { transactionHash: hash },
  result: booleanResult,
  handler: ({ development }: World, { transactionHash }) => development.drop(transactionHash),
})

export const anvilDrop = method({
  summary: 'Takes a transaction out of the pool and gives its hash; null when it was not there.',
  params: { transactionHash: hash },
  result: droppedResult,
  handler: ({ development }: World, { transactionHash }) =>
    development.drop(transactionHash) ? transactionHash : undefined,
})

export const dropAllTransactions = method({
  summary: 'Takes all transactions out of the pool.',
  params: {},
  result: nothingResult,
  handler: ({ development }: World) => development.dropAll(),
})

export const removePoolTransactions = method({
  summary: 'Takes all transactions of an account out of the pool.',
  params: { address },
  result: nothingResult,
  handler: ({ development, pool }: Pick<DevelopmentNode, 'development' | 'pool'>, { address }) => {
    const sender = toHexDigits(address)
    const groups = [pool.pending(), pool.queued()]
    const hashes = groups.flatMap((group) => (group.get(sender) ?? []).map(({ hash }) => hash))
    for (const each of hashes) development.drop(each)
  },
})
