import { afterEach, expect, test, vi } from 'vitest'
import type { Node } from '../net/context.ts'
import { loadEarlier } from './earlier.ts'

afterEach(() => vi.unstubAllGlobals())

/** A chain with one transaction in each of some blocks; counts its searches. */
function chainOf(latest: number, heights: readonly number[]) {
  const windows: number[] = []
  const consensus = async (_: string, parameters: unknown): Promise<unknown> => {
    const { query, per_page } = parameters as Record<string, string>
    const [, first, last] = /^tx\.height>=(\d+) AND tx\.height<=(\d+)$/.exec(query ?? '') ?? []
    windows.push(Number(last) - Number(first) + 1)
    const found = heights.filter((height) => height >= Number(first) && height <= Number(last))
    return {
      txs: found
        .toSorted((a, b) => b - a)
        .slice(0, Number(per_page))
        .map((height) => ({ tx: btoa(`${height}`) })),
    }
  }
  vi.stubGlobal('fetch', async (_: string, options: RequestInit) => {
    const calls = JSON.parse(await new Response(options.body).text()) as { id: number }[]
    return Response.json(
      calls.map(({ id }) => ({
        id,
        result: { hash: `0x${id}`, blockNumber: '0x7', blockTimestamp: '0x5', from: '', to: null },
      })),
    )
  })
  const ethereum = async () => `0x${latest.toString(16)}`
  const node = { ethereum, consensus, endpoints: { rpc: 'http://chain.test' } } as unknown as Node
  return { node, windows }
}

test('transactions of long ago are found in a few searches', async () => {
  const { node, windows } = chainOf(2_000_000, [3, 12])
  const found = await loadEarlier(node, 6)
  expect(found).toHaveLength(2)
  expect(found[0]).toMatchObject({ height: 7, time: 5 })
  expect(windows).toHaveLength(5)
})

test('a chain without a transaction has none, and every block was searched once', async () => {
  const { node, windows } = chainOf(123_456, [])
  expect(await loadEarlier(node, 6)).toEqual([])
  expect(windows.reduce((sum, width) => sum + width, 0)).toBe(123_456)
  expect(await loadEarlier(chainOf(0, []).node, 6)).toEqual([])
})
