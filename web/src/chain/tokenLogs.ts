/** A token's own history, by the logs of its contract: transfers, and who holds it (D170). */
import type { Node } from '../net/context.ts'
import { askMany, RpcError } from '../net/jsonRpc.ts'
import { findTransfers, type Transfer } from './transfers.ts'
import type { Log } from './types.ts'

const TOPICS = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
]
const TOTAL_SUPPLY = '0x18160ddd'
const BALANCE_OF = '0x70a08231'
const ZERO = `0x${'00'.repeat(20)}`
/** Searches of one look, and holders whose balance is asked for. */
const MAX_SEARCHES = 20
const MAX_HOLDERS = 50

/** A transfer with where it is in the chain. */
export type TokenTransfer = Transfer & { readonly height: number; readonly transaction: string }

export type TokenHistory = {
  /** The latest first. */
  readonly transfers: readonly TokenTransfer[]
  /** Whether these are all: a node bounds a search. */
  readonly isWhole: boolean
}

const hex = (value: number): string => `0x${value.toString(16)}`

function transfersOf(logs: readonly Log[]): TokenTransfer[] {
  // A log's index is its place in the block: with the height it is unique.
  return logs.flatMap((log) =>
    findTransfers([{ ...log, logIndex: `${Number(log.blockNumber)}-${Number(log.logIndex)}` }]).map(
      (transfer) => ({
        ...transfer,
        height: Number(log.blockNumber),
        transaction: log.transactionHash,
      }),
    ),
  )
}

/**
 * The transfers of a token: all of them where the node answers that, else those of the latest blocks, as far back as a number of
 * searches goes.
 */
export async function loadTokenHistory(
  { ethereum }: Pick<Node, 'ethereum'>,
  address: string,
): Promise<TokenHistory> {
  const latest = Number(await ethereum('eth_blockNumber'))
  const found: Log[][] = []
  let to = latest
  let width = latest + 1
  for (let search = 0; search < MAX_SEARCHES && to >= 0; search++) {
    const from = Math.max(0, to - width + 1)
    try {
      const range = { fromBlock: hex(from), toBlock: hex(to) }
      const logs = await ethereum('eth_getLogs', [{ address, topics: [TOPICS], ...range }])
      found.unshift(logs as Log[])
      to = from - 1
    } catch (error) {
      // Too many in that range.
      if (!(error instanceof RpcError) || width <= 1) throw error
      width = Math.ceil(width / 16)
    }
  }
  return { transfers: transfersOf(found.flat()).toReversed(), isWhole: to < 0 }
}

/** What each address has by the transfers alone, the largest first; the zero address, of mints and burns, is left out. */
export function balancesOf(transfers: readonly Transfer[]): readonly (readonly [string, bigint])[] {
  const balances = new Map<string, bigint>()
  const add = (address: string, amount: bigint): void => {
    if (address !== ZERO) balances.set(address, (balances.get(address) ?? 0n) + amount)
  }
  for (const { kind, from, to, amount } of transfers) {
    if (kind === 'money') continue
    add(from, -amount)
    add(to, amount)
  }
  return [...balances]
    .filter(([, amount]) => amount > 0n)
    .sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))
}

function readWord(answer: unknown): bigint | undefined {
  return typeof answer === 'string' && /^0x[0-9a-f]{64}$/.test(answer) ? BigInt(answer) : undefined
}

/** The total supply, by the contract's word; undefined if it has none. */
export async function loadSupply(
  { ethereum }: Pick<Node, 'ethereum'>,
  to: string,
): Promise<bigint | undefined> {
  const answer = ethereum('eth_call', [{ to, data: TOTAL_SUPPLY }, 'latest'])
  return readWord(await answer.catch(() => undefined))
}

export type Holder = { readonly address: string; readonly amount: bigint }

/** The largest holders, with the balances that the contract states. */
export async function loadHolders(
  { endpoints }: Node,
  to: string,
  transfers: readonly Transfer[],
): Promise<readonly Holder[]> {
  const candidates = balancesOf(transfers).slice(0, MAX_HOLDERS)
  const answers = await askMany(
    endpoints.rpc,
    'eth_call',
    candidates.map(([address]) => [
      { to, data: BALANCE_OF + address.slice(2).padStart(64, '0') },
      'latest',
    ]),
  )
  return candidates
    .flatMap(([address], index) => {
      const amount = readWord(answers[index])
      return amount === undefined || amount === 0n ? [] : [{ address, amount }]
    })
    .sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
}
