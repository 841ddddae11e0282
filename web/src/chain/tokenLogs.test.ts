import { expect, test } from 'vitest'
import { RpcError } from '../net/jsonRpc.ts'
import { balancesOf, loadSupply, loadTokenHistory } from './tokenLogs.ts'
import type { Transfer } from './transfers.ts'

const TOKEN = `0x${'c3'.repeat(20)}`
const ZERO = `0x${'00'.repeat(20)}`
const word = (hex: string): string => hex.replace('0x', '').padStart(64, '0')
const address = (digit: string): string => `0x${digit.repeat(40)}`
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

type Filter = { readonly fromBlock: string; readonly toBlock: string }

/** A node with one transfer in each block, which answers at most `most` logs of a search. */
function nodeOf(blocks: number, most: number) {
  let searches = 0
  const ethereum = async (method: string, params: unknown): Promise<unknown> => {
    if (method === 'eth_blockNumber') return `0x${(blocks - 1).toString(16)}`
    if (method === 'eth_call') return '0x'
    searches++
    const [filter] = params as [Filter]
    const from = Number(filter.fromBlock)
    const to = Number(filter.toBlock)
    if (to - from + 1 > most) throw new RpcError(-32005, 'too many logs', undefined)
    return Array.from({ length: to - from + 1 }, (_, at) => ({
      address: TOKEN,
      topics: [TRANSFER, `0x${word(address('a'))}`, `0x${word(address('b'))}`],
      data: `0x${word('0x1')}`,
      logIndex: '0x0',
      transactionHash: `0x${word((from + at).toString(16))}`,
      blockNumber: `0x${(from + at).toString(16)}`,
    }))
  }
  return { ethereum, searches: () => searches }
}

test('all transfers of a token are found by one search, the latest first', async () => {
  const node = nodeOf(40, 1000)
  const { transfers, isWhole } = await loadTokenHistory(node, TOKEN)
  expect(isWhole).toBe(true)
  expect(transfers.map(({ height }) => height)).toEqual(
    Array.from({ length: 40 }, (_, at) => 39 - at),
  )
  expect(new Set(transfers.map(({ place }) => place)).size).toBe(40)
  expect(node.searches()).toBe(1)
})

// Holds D170.
test('where the node bounds a search, the latest blocks are searched, and what is missing is said', async () => {
  const node = nodeOf(1_000_000, 500)
  const { transfers, isWhole } = await loadTokenHistory(node, TOKEN)
  expect(isWhole).toBe(false)
  expect(transfers[0]?.height).toBe(999_999)
  expect(transfers.length).toBeGreaterThan(1000)
  expect(node.searches()).toBeLessThanOrEqual(20)
})

test('holders are those with more received than sent; mints and burns belong to nobody', () => {
  const transfer = (from: string, to: string, amount: bigint): Transfer => ({
    token: TOKEN,
    kind: 'ERC-20',
    from,
    to,
    amount,
    id: undefined,
    place: '',
  })
  const [a, b, c] = [address('a'), address('b'), address('c')]
  const list = [
    transfer(ZERO, a, 100n),
    transfer(a, b, 70n),
    transfer(b, c, 70n),
    transfer(a, ZERO, 5n),
  ]
  expect(balancesOf(list)).toEqual([
    [c, 70n],
    [a, 25n],
  ])
})

test('a contract without a supply has none', async () => {
  expect(await loadSupply(nodeOf(1, 1), TOKEN)).toBeUndefined()
})
