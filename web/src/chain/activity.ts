/** What an account did: its transactions by the consensus RPC's index, page by page. */
import { bytesToHex } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import { keccak256 } from '../proof/hashes.ts'
import type { Receipt, Transaction } from './types.ts'

/** Transactions of one page (D167). */
export const PAGE = 25
/** Transactions of one request; the consensus RPC allows as many. */
const CHUNK = 100

/** What the account did in them. */
export type Direction = 'all' | 'out' | 'in'

/** A transaction's place in the chain. */
export type Place = { readonly height: number; readonly index: number }

/** A transaction of the index. */
export type Found = Place & { readonly hash: string }

export type Page = {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** Where the next page begins: after this place. Undefined on the last page. */
  readonly next: Place | undefined
}

type SearchAnswer = {
  readonly total_count: string
  readonly txs:
    | readonly { readonly height: string; readonly index: number; readonly tx: string }[]
    | null
}
type Status = { readonly node_info: { readonly network: string } }

type Role = 'sender' | 'recipient'
const ROLES: Readonly<Record<Direction, readonly Role[]>> = {
  all: ['sender', 'recipient'],
  out: ['sender'],
  in: ['recipient'],
}

/** Reads the parameter of an address: a height and an index. */
export function readPlace(text: string | undefined): Place | undefined {
  const [, height, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(text ?? '') ?? []
  return height === undefined || index === undefined
    ? undefined
    : { height: Number(height), index: Number(index) }
}

/** The parameter for a place. */
export function placeText({ height, index }: Place): string {
  return `${height}.${index}`
}

function isBefore(a: Place, b: Place): boolean {
  return a.height < b.height || (a.height === b.height && a.index < b.index)
}

/**
 * The latest of several lists, each the latest first, without what stands in two of them: at most a page, and one more
 * if there is one.
 */
export function mergeLatest(
  lists: readonly (readonly Found[])[],
  before?: Place,
): readonly Found[] {
  const byHash = new Map(lists.flat().map((each) => [each.hash, each]))
  return [...byHash.values()]
    .filter((each) => before === undefined || isBefore(each, before))
    .sort((a, b) => b.height - a.height || b.index - a.index)
    .slice(0, PAGE + 1)
}

function hashOf(base64: string): string {
  return bytesToHex(keccak256(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))))
}

/** Events of the chain's name carry senders and recipients (docs/events.md). */
async function nameOf({ consensus }: Node): Promise<string> {
  const { node_info } = (await consensus('status', {})) as Status
  return node_info.network.split('_')[0] ?? ''
}

async function ask(
  { consensus }: Node,
  query: string,
  page: number,
  perPage: number,
): Promise<SearchAnswer> {
  const parameters = { query, prove: false, page: `${page}`, per_page: `${perPage}` }
  return (await consensus('tx_search', { ...parameters, order_by: 'desc' })) as SearchAnswer
}

/** The latest of one role before a place: more than a page, unless there are no more. */
async function search(node: Node, query: string, before: Place | undefined): Promise<Found[]> {
  const bounded = before === undefined ? query : `${query} AND tx.height<=${before.height}`
  const found: Found[] = []
  // Only a block that holds more of the account's than one request brings makes this go on.
  for (let page = 1; ; page++) {
    const { txs, total_count } = await ask(
      node,
      bounded,
      page,
      before === undefined ? PAGE + 1 : CHUNK,
    )
    const list = (txs ?? []).map(({ height, index, tx }) => ({
      height: Number(height),
      index,
      hash: tx,
    }))
    found.push(...list.filter((each) => before === undefined || isBefore(each, before)))
    if (found.length > PAGE || list.length === 0 || page * CHUNK >= Number(total_count))
      return found.slice(0, PAGE + 1).map((each) => ({ ...each, hash: hashOf(each.hash) }))
  }
}

/** One page of the transactions that an account sent or was called by, the latest first. */
export async function loadPage(
  node: Node,
  address: string,
  { direction, before }: { readonly direction: Direction; readonly before: Place | undefined },
): Promise<Page> {
  const name = await nameOf(node)
  const lists = await Promise.all(
    ROLES[direction].map((role) => search(node, `${name}.${role}='${address}'`, before)),
  )
  const found = mergeLatest(lists, before)
  const shown = found.slice(0, PAGE)
  const parameters = shown.map(({ hash }) => [hash])
  const [transactions, receipts] = await Promise.all([
    askMany(node.endpoints.rpc, 'eth_getTransactionByHash', parameters),
    askMany(node.endpoints.rpc, 'eth_getTransactionReceipt', parameters),
  ])
  return {
    transactions: (transactions as (Transaction | null)[]).filter((each) => each !== null),
    receipts: (receipts as (Receipt | null)[]).filter((each) => each !== null),
    next: found.length > PAGE ? shown.at(-1) : undefined,
  }
}

/** How many transactions of an account the index holds, as sender and as recipient. */
export async function loadCounts(
  node: Node,
  address: string,
): Promise<{ readonly sent: number; readonly received: number }> {
  const name = await nameOf(node)
  const [sent, received] = await Promise.all(
    ROLES.all.map((role) => ask(node, `${name}.${role}='${address}'`, 1, 1)),
  )
  return { sent: Number(sent?.total_count), received: Number(received?.total_count) }
}
