/**
 * Internal transfers from or to an account, by calls within transactions. They are not in any index: blocks are
 * re-executed.
 */
import { toQuantity } from '../format/hex.ts'
import type { Node } from '../net/context.ts'

/** A flat trace of OpenEthereum's kind, as far as it matters here. */
type Trace = {
  readonly type: string
  readonly action: {
    readonly from?: string
    readonly to?: string
    readonly value?: string
    readonly address?: string
    readonly refundAddress?: string
    readonly balance?: string
    readonly callType?: string
  }
  readonly result?: { readonly address?: string } | null
  readonly error?: string
  readonly blockNumber: number
  readonly transactionHash: string | null
  readonly traceAddress: readonly number[]
}

export type InternalTransfer = {
  readonly height: number
  readonly transaction: string
  /** Position of the call within the transaction ("0.2"). */
  readonly place: string
  readonly from: string
  readonly to: string
  /** In the smallest unit. */
  readonly amount: bigint
}

export type Stretch = {
  readonly transfers: readonly InternalTransfer[]
  /** The first height that was looked at. */
  readonly first: number
}

/** Number of blocks that are re-executed at a time. */
const BLOCKS = 250

function transferOf(trace: Trace): InternalTransfer | undefined {
  const { action, result, traceAddress, blockNumber, transactionHash, error } = trace
  const amount = BigInt(action.value ?? action.balance ?? '0x0')
  // What the transaction itself sends is in the list of transactions.
  if (traceAddress.length === 0 || amount === 0n || error !== undefined) return undefined
  if (action.callType !== undefined && action.callType !== 'call') return undefined
  return {
    height: blockNumber,
    transaction: transactionHash ?? '',
    place: traceAddress.join('.'),
    from: action.from ?? action.address ?? '',
    to: action.to ?? action.refundAddress ?? result?.address ?? '',
    amount,
  }
}

/** The transfers of a stretch of blocks that ends at a height, the latest first. */
export async function loadInternal(
  { ethereum }: Node,
  account: string,
  last: number,
): Promise<Stretch> {
  const first = Math.max(0, last - BLOCKS + 1)
  const range = { fromBlock: toQuantity(first), toBlock: toQuantity(last) }
  const answers = await Promise.all(
    ['fromAddress', 'toAddress'].map((role) =>
      ethereum('trace_filter', [{ ...range, [role]: [account] }]),
    ),
  )
  const transfers = (answers as (readonly Trace[])[]).flat().flatMap((trace) => {
    const transfer = transferOf(trace)
    return transfer === undefined ? [] : [transfer]
  })
  const unique = new Map(transfers.map((each) => [`${each.transaction}-${each.place}`, each]))
  return { transfers: [...unique.values()].sort((a, b) => b.height - a.height), first }
}
