/** What an account did: transactions by the consensus RPC's index, tokens by the logs of transfers. */
import { bytesToHex } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import { keccak256 } from '../proof/hashes.ts'
import { findTransfers, type Transfer } from './transfers.ts'
import type { Log, Receipt, Transaction } from './types.ts'

const PAGE = 25
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

type SearchAnswer = {
  readonly total_count: string
  readonly txs:
    | readonly { readonly height: string; readonly index: number; readonly tx: string }[]
    | null
}

type Status = { readonly node_info: { readonly network: string } }

export type Activity = {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** How many the index holds, as sender and as recipient. */
  readonly sent: number
  readonly received: number
}

/** Events of the chain's name carry senders and recipients (docs/events.md). */
async function search({ consensus }: Node, role: string, address: string): Promise<SearchAnswer> {
  const { node_info } = (await consensus('status', {})) as Status
  const [name = ''] = node_info.network.split('_')
  return (await consensus('tx_search', {
    query: `${name}.${role}='${address}'`,
    prove: false,
    page: '1',
    per_page: String(PAGE),
    order_by: 'desc',
  })) as SearchAnswer
}

function hashOf(base64: string): string {
  return bytesToHex(keccak256(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))))
}

/** The latest transactions that an account sent or was called by. */
export async function loadActivity(node: Node, address: string): Promise<Activity> {
  const [sent, received] = await Promise.all([
    search(node, 'sender', address),
    search(node, 'recipient', address),
  ])
  const found = [...(sent.txs ?? []), ...(received.txs ?? [])].sort(
    (a, b) => Number(b.height) - Number(a.height) || b.index - a.index,
  )
  const hashes = [...new Set(found.map(({ tx }) => hashOf(tx)))].slice(0, PAGE)
  const parameters = hashes.map((hash) => [hash])
  const [transactions, receipts] = await Promise.all([
    askMany(node.endpoints.rpc, 'eth_getTransactionByHash', parameters),
    askMany(node.endpoints.rpc, 'eth_getTransactionReceipt', parameters),
  ])
  return {
    transactions: (transactions as (Transaction | null)[]).filter((each) => each !== null),
    receipts: (receipts as (Receipt | null)[]).filter((each) => each !== null),
    sent: Number(sent.total_count),
    received: Number(received.total_count),
  }
}

/** Transfers of tokens to and from an account, the latest first. Rejects where the node bounds the search. */
export async function loadTransfers(
  { ethereum }: Node,
  address: string,
): Promise<readonly Transfer[]> {
  const topic = `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
  const many = [TRANSFER_SINGLE, TRANSFER_BATCH]
  const answers = await Promise.all(
    [
      [TRANSFER, topic],
      [TRANSFER, null, topic],
      [many, null, topic],
      [many, null, null, topic],
    ].map((topics) => ethereum('eth_getLogs', [{ fromBlock: 'earliest', topics }])),
  )
  const logs = (answers as (readonly Log[])[]).flat()
  const unique = [
    ...new Map(logs.map((log) => [`${log.blockNumber}-${log.logIndex}`, log])).values(),
  ]
  unique.sort(
    (a, b) =>
      Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex),
  )
  // A log's index is its place in the block: with the height it is unique.
  return findTransfers(
    unique.map((log) => ({
      ...log,
      logIndex: `${Number(log.blockNumber)}-${Number(log.logIndex)}`,
    })),
  )
}

const BALANCE_OF = '0x70a08231'

/** Balances of ERC-20 tokens, those that are not zero. */
export async function loadBalances(
  { endpoints }: Node,
  address: string,
  tokens: readonly string[],
): Promise<readonly { readonly token: string; readonly amount: bigint }[]> {
  const data = BALANCE_OF + address.slice(2).toLowerCase().padStart(64, '0')
  const answers = await askMany(
    endpoints.rpc,
    'eth_call',
    tokens.map((to) => [{ to, data }, 'latest']),
  ).catch(() => [])
  return answers.flatMap((answer, index) => {
    const token = tokens[index]
    if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/.test(answer) || token === undefined)
      return []
    const amount = BigInt(answer)
    return amount === 0n ? [] : [{ token, amount }]
  })
}
