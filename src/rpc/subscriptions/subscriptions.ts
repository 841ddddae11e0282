/** The subscriptions of eth_subscribe: each row turns options into a stream of wire objects (D45). */
import { z } from 'zod'
import { list, oneOfForms } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { createJsonBytes } from '../../base/jsonBytes.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { onNewBlock } from '../../events/liveBlocks.ts'
import type { BlockProfile } from '../../wire/method.ts'
import { rawJson, type RawJson } from '../../wire/rawJson.ts'
import { hash } from '../../wire/schema.ts'
import { encodeBlockTransactions, encodeHeader } from '../encode/block.ts'
import { encodeEachLog } from '../encode/log.ts'
import { writeReceipt, type PlacedReceipt } from '../encode/receipt.ts'
import { encodeTransaction } from '../encode/transaction.ts'
import { encodeProgress } from '../encode/progress.ts'
import { readInto } from '../../wire/goWords.ts'
import { logFilter } from '../parameters/logFilter.ts'
import type { World, SyncProgress } from '../world.ts'
import { receiptAt } from '../lookups/read.ts'

export type SubscriptionWorld = Pick<World, 'bus' | 'chain' | 'limits' | 'pool' | 'syncing'>

/** Receives the results of one subscription, until the signal ends it. */
export type Subscriber = {
  readonly profile: BlockProfile
  readonly signal: AbortSignal
  push(result: unknown): void
}

/** One kind of subscription: the schema of its options, and the function that starts it. */
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

type Heads = Map<string, RawJson>

/** Many subscribers receive the same head; it is encoded once per form. */
const writtenHeads = new WeakMap<BlockHeader, Heads>()

function headOf(
  { chain }: Pick<World, 'chain'>,
  header: BlockHeader,
  profile: BlockProfile,
  isFull: boolean,
): RawJson {
  const heads: Heads = writtenHeads.get(header) ?? new Map<string, RawJson>()
  writtenHeads.set(header, heads)
  const form = `${profile} ${isFull}`
  const known = heads.get(form)
  if (known !== undefined) return known
  const transactions = isFull ? (chain.transactions(header.height) ?? []) : undefined
  const head = rawJson([
    utf8(
      JSON.stringify({
        ...encodeHeader(header, profile),
        ...(transactions && { transactions: encodeBlockTransactions(header, transactions) }),
      }),
    ),
  ])
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

const logs = kind(
  readInto(logFilter.nullish(), 'filters.input'),
  (world, filter, { push, signal }) => {
    const criteria = filter?.criteria ?? { addresses: [], topics: [] }
    onNewBlock(
      world,
      ({ height }) => {
        for (const logs of world.chain.logs(height, height, criteria))
          for (const log of encodeEachLog(logs)) push(log)
      },
      signal,
    )
  },
)

const newPendingTransactions = kind(z.boolean().nullish(), ({ pool }, isFull, { push, signal }) => {
  pool.onPending(
    (transaction) =>
      push(isFull === true ? encodeTransaction(transaction, undefined) : toHex(transaction.hash)),
    signal,
  )
})

/** The receipts of a block that belong to the requested transactions. */
function receiptsOf(
  { chain }: Pick<World, 'chain'>,
  header: BlockHeader,
  isWanted: (transaction: PlacedReceipt['transaction']) => boolean,
): readonly PlacedReceipt[] {
  const receipts: PlacedReceipt[] = []
  for (let index = 0; ; index++) {
    const placed = receiptAt(chain, header, index)
    if (placed === undefined) return receipts
    if (isWanted(placed.transaction)) receipts.push(placed)
  }
}

/** Receipts of each new block, all of them or those of some transactions; nothing is sent for a block without any. */
const transactionReceipts = kind(
  z.object({ transactionHashes: list(hash, BOUNDS.list).nullish() }).nullish(),
  (world, options, { push, signal }) => {
    const hashes = options?.transactionHashes
    const wanted = hashes?.length ? new Set(hashes.map(toHex)) : undefined
    const hear = (header: BlockHeader): void => {
      const receipts = receiptsOf(world, header, (t) => wanted?.has(toHex(t.hash)) ?? true)
      if (receipts.length === 0) return
      const json = createJsonBytes()
      for (const [index, receipt] of receipts.entries()) {
        json.text(index === 0 ? '[' : ',')
        writeReceipt(json, receipt)
      }
      json.text(']')
      push(rawJson(json.pieces()))
    }
    onNewBlock(world, hear, signal)
  },
)

/** go-ethereum's notifications while it is catching up, and when it has caught up. */
function encodeSyncing(progress: SyncProgress | undefined): object | false {
  return progress !== undefined && { syncing: true, status: encodeProgress(progress) }
}

/** The current sync status, immediately and whenever the node falls behind or has caught up. */
const syncing = kind(
  oneOfForms(() => []),
  (world, _options, { push, signal }) => {
    let wasSyncing = world.syncing() !== undefined
    push(encodeSyncing(world.syncing()))
    const hear = (): void => {
      const progress = world.syncing()
      if ((progress !== undefined) === wasSyncing) return
      wasSyncing = !wasSyncing
      push(encodeSyncing(progress))
    }
    onNewBlock(world, hear, signal)
  },
)

/** Every kind by name. */
export const SUBSCRIPTION_KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({ newHeads, logs, newPendingTransactions, transactionReceipts, syncing }),
)
