/** Tokens of an account, by the logs of transfers. */
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import { findTransfers, type Transfer } from './transfers.ts'
import type { Log } from './types.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

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
