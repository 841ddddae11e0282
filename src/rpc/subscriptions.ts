/** What eth_subscribe can follow: each row turns options into a stream of wire objects (D45). */
import { z } from 'zod'
import { toHex } from '../base/hex.ts'
import type { BlockHeader } from '../chain/block.ts'
import { onNewBlock } from '../events/liveBlocks.ts'
import type { BlockProfile } from '../wire/method.ts'
import { encodeBlockTransactions, encodeHeader } from './encode/block.ts'
import { encodeEachLog } from './encode/log.ts'
import { encodeTransaction } from './encode/transaction.ts'
import { logFilter } from './logFilter.ts'
import type { Node } from './node.ts'

export type SubscriptionWorld = Pick<Node, 'bus' | 'chain' | 'pool'>

/** Where the results of one subscription go, and until when. */
export type Subscriber = {
  readonly profile: BlockProfile
  readonly signal: AbortSignal
  push(result: unknown): void
}

/** One kind of subscription: the schema of its options, and what starts it. */
type Kind = {
  start(world: SubscriptionWorld, options: unknown, subscriber: Subscriber): void
  readonly options: z.ZodType
}

function kind<Options extends z.ZodType>(
  options: Options,
  start: (world: SubscriptionWorld, options: z.output<Options>, subscriber: Subscriber) => void,
): Kind {
  return {
    options,
    start: (world, given, subscriber) => start(world, given as z.output<Options>, subscriber),
  }
}

type Heads = Map<string, object>

/** Many subscribers get the same head; it is encoded once for each of its forms. */
const encodedHeads = new WeakMap<BlockHeader, Heads>()

function headOf(
  { chain }: Pick<Node, 'chain'>,
  header: BlockHeader,
  profile: BlockProfile,
  isFull: boolean,
): object {
  const heads: Heads = encodedHeads.get(header) ?? new Map<string, object>()
  encodedHeads.set(header, heads)
  const form = `${profile} ${isFull}`
  const known = heads.get(form)
  if (known !== undefined) return known
  const transactions = isFull ? (chain.transactions(header.height) ?? []) : undefined
  const head = {
    ...encodeHeader(header, profile),
    ...(transactions && { transactions: encodeBlockTransactions(header, transactions) }),
  }
  heads.set(form, head)
  return head
}

const newHeads = kind(
  z.object({ includeTransactions: z.boolean().nullish() }).nullish(),
  (world, options, { profile, push, signal }) => {
    const isFull = options?.includeTransactions === true
    onNewBlock(world, (header) => push(headOf(world, header, profile, isFull)), signal)
  },
)

const logs = kind(logFilter.nullish(), (world, filter, { push, signal }) => {
  const criteria = filter?.criteria ?? { addresses: [], topics: [] }
  onNewBlock(
    world,
    ({ height }) => {
      for (const logs of world.chain.logs(height, height, criteria))
        for (const log of encodeEachLog(logs)) push(log)
    },
    signal,
  )
})

const newPendingTransactions = kind(z.boolean().nullish(), ({ pool }, isFull, { push, signal }) => {
  pool.onPending(
    (transaction) =>
      push(isFull === true ? encodeTransaction(transaction, undefined) : toHex(transaction.hash)),
    signal,
  )
})

/** Accepted for clients that ask for it: a node that catches up serves no subscriptions, so there is nothing to tell. */
const syncing = kind(z.unknown(), () => undefined)

/** Every kind by its name on the wire. */
export const SUBSCRIPTION_KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({ newHeads, logs, newPendingTransactions, syncing }),
)
