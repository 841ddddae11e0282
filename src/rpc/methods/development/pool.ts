/** Removal of transactions from a development chain's pool. */
import { toHex, toHexDigits } from '../../../base/hex.ts'
import { method, type Result } from '../../../wire/method.ts'
import { address, booleanResult, hash } from '../../../wire/schema.ts'
import { hashShape } from '../../../wire/shapes.ts'
import { nothingResult } from '../../encode/results.ts'
import type { DevelopmentWorld, DevelopmentParts } from './method.ts'

const droppedResult: Result<Uint8Array | undefined> = {
  schema: hashShape.nullable(),
  encode: (dropped) => (dropped ? toHex(dropped) : null),
}

export const hardhatDrop = method({
  summary: 'Removes a transaction from the pool; returns whether it was there.',
  params: { transactionHash: hash },
  result: booleanResult,
  handler: ({ development }: DevelopmentParts, { transactionHash }) =>
    development.drop(transactionHash),
})

export const anvilDrop = method({
  summary: 'Removes a transaction from the pool and returns its hash; null if it was not there.',
  params: { transactionHash: hash },
  result: droppedResult,
  handler: async ({ development }: DevelopmentParts, { transactionHash }) =>
    (await development.drop(transactionHash)) ? transactionHash : undefined,
})

export const dropAllTransactions = method({
  summary: 'Removes all transactions from the pool.',
  params: {},
  result: nothingResult,
  handler: ({ development }: DevelopmentParts) => development.dropAll(),
})

export const removePoolTransactions = method({
  summary: 'Removes all transactions of an account from the pool.',
  params: { address },
  result: nothingResult,
  handler: async (
    { development, pool }: Pick<DevelopmentWorld, 'development' | 'pool'>,
    { address },
  ) => {
    const sender = toHexDigits(address)
    const groups = [pool.pending(), pool.queued()]
    const hashes = groups.flatMap((group) => (group.get(sender) ?? []).map(({ hash }) => hash))
    for (const each of hashes) await development.drop(each)
  },
})
