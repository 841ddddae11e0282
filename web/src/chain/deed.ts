/** What a transaction does, in one sentence: of its request, its outcome, and what its contract reported (D170). */
import type { Decoded } from '../abi/book.ts'
import { findTransfers } from './transfers.ts'
import type { Call, Receipt, Transaction } from './types.ts'

/** What was asked for. Names of methods and tokens are their contracts' own words. */
export type Deed =
  | { readonly kind: 'transfer'; readonly to: string; readonly value: bigint }
  | { readonly kind: 'create'; readonly created: string | undefined; readonly value: bigint }
  | {
      readonly kind: 'token'
      readonly token: string
      readonly from: string
      readonly to: string
      readonly amount: bigint
    }
  | {
      readonly kind: 'call'
      readonly to: string
      /** '' if it is not known. */
      readonly method: string
      readonly value: bigint
    }

/** Why a transaction failed. */
export type Failure = {
  readonly kind: 'reverted' | 'out of gas' | 'failed'
  /** The outermost call, where the node could trace it. */
  readonly call: Call | undefined
}

const ADDRESS = /^0x[0-9a-f]{40}$/

/** The transfer of a token that a call asks for: transfer(address,uint256). */
function askedOf(token: string, from: string, decoded: Decoded | undefined): Deed | undefined {
  if (decoded?.item.name !== 'transfer' || decoded.values.length !== 2) return undefined
  const [to, amount] = decoded.values
  if (typeof to !== 'string' || !ADDRESS.test(to.toLowerCase()) || typeof amount !== 'bigint')
    return undefined
  return { kind: 'token', token, from, to, amount }
}

/** The only transfer that the called contract reported, if it is one of its own token. */
function reportedOf(token: string, receipt: Receipt | null): Deed | undefined {
  const [only, ...others] = findTransfers(receipt?.logs ?? [])
  if (only?.kind !== 'ERC-20' || others.length > 0 || only.token?.toLowerCase() !== token)
    return undefined
  return { kind: 'token', token, from: only.from, to: only.to, amount: only.amount }
}

/** The deed of a transaction. `decoded`: its call, where that is understood. */
export function deedOf(
  transaction: Transaction,
  receipt: Receipt | null,
  decoded: Decoded | undefined,
): Deed {
  const { from, to, input } = transaction
  const value = BigInt(transaction.value)
  if (to === null) return { kind: 'create', created: receipt?.contractAddress ?? undefined, value }
  if (input === '0x') return { kind: 'transfer', to, value }
  const token = to.toLowerCase()
  const call = { kind: 'call', to, method: decoded?.item.name ?? '', value } as const
  if (value > 0n) return call
  // A failed transaction has no logs: what it asked for is all that is known.
  return receipt?.status === '0x1'
    ? (reportedOf(token, receipt) ?? call)
    : (askedOf(token, from, decoded) ?? call)
}

/**
 * Why a transaction failed; undefined if it did not, or is pending. Running out of gas takes all of it, but so do other errors:
 * the trace tells, where there is one.
 */
export function failureOf(
  { gas }: Transaction,
  receipt: Receipt | null,
  call: Call | undefined,
): Failure | undefined {
  if (receipt === null || receipt.status === '0x1') return undefined
  const isOut =
    call?.error === undefined
      ? BigInt(receipt.gasUsed) === BigInt(gas)
      : /out of gas/i.test(call.error)
  if (isOut) return { kind: 'out of gas', call }
  const isReverted = call?.error === undefined || /revert/i.test(call.error)
  return { kind: isReverted ? 'reverted' : 'failed', call }
}
