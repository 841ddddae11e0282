import { expect, test } from 'vitest'
import { bytesToHex } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { keccak256 } from '../proof/hashes.ts'
import {
  loadCounts,
  loadPage,
  mergeLatest,
  PAGE,
  placeText,
  readPlace,
  type Place,
} from './activity.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`

type Sent = Place & { readonly role: 'sender' | 'recipient'; readonly bytes: Uint8Array }

const hashOf = ({ bytes }: Sent): string => bytesToHex(keccak256(bytes))

/** An index over transactions that answers `tx_search` as the consensus RPC does. */
function nodeOf(sent: readonly Sent[]): Node {
  const consensus = async (method: string, parameters: unknown): Promise<unknown> => {
    if (method === 'status') return { node_info: { network: 'assay_1-1' } }
    const { query, page, per_page } = parameters as Record<string, string>
    const [, role, most] =
      /^assay\.(\w+)='0x\w+'(?: AND tx\.height<=(\d+))?$/.exec(query ?? '') ?? []
    const matching = sent
      .filter((each) => each.role === role && each.height <= Number(most ?? Infinity))
      .toSorted((a, b) => b.height - a.height || b.index - a.index)
    const from = (Number(page) - 1) * Number(per_page)
    const txs = matching.slice(from, from + Number(per_page)).map(({ height, index, bytes }) => ({
      height: String(height),
      index,
      tx: btoa(String.fromCharCode(...bytes)),
    }))
    return { total_count: String(matching.length), txs }
  }
  return { consensus, endpoints: { rpc: 'http://chain.test' } } as unknown as Node
}

/** Answers batches of the Ethereum JSON-RPC with the hashes that were asked for. */
async function asked<T>(run: () => Promise<T>): Promise<T> {
  const original = globalThis.fetch
  globalThis.fetch = async (_, options) => {
    const calls = JSON.parse(await new Response(options?.body).text()) as {
      id: number
      params: [string]
    }[]
    return Response.json(calls.map(({ id, params: [hash] }) => ({ id, result: { hash } })))
  }
  try {
    return await run()
  } finally {
    globalThis.fetch = original
  }
}

const sentAt = (height: number, index: number, role: Sent['role'] = 'sender'): Sent => ({
  height,
  index,
  role,
  bytes: Uint8Array.of(height >> 8, height & 255, index >> 8, index & 255),
})

async function pagesOf(
  sent: readonly Sent[],
  direction: 'all' | 'out' | 'in',
): Promise<string[][]> {
  const pages: string[][] = []
  let before: Place | undefined
  do {
    const from: Place | undefined = before
    const page = await asked(() => loadPage(nodeOf(sent), ADDRESS, { direction, before: from }))
    pages.push(page.transactions.map(({ hash }) => hash))
    before = page.next
  } while (before !== undefined)
  return pages
}

// Holds D167.
test('pages hold every transaction once, the latest first, whatever role the account had', async () => {
  const sent = Array.from({ length: 40 }, (_, at) => sentAt(at + 1, 0))
  const received = Array.from({ length: 30 }, (_, at) => sentAt(at + 5, 1, 'recipient'))
  // To itself: under both roles in the index.
  const own = { ...sentAt(3, 0), role: 'recipient' as const }
  const pages = await pagesOf([...sent, ...received, own], 'all')
  expect(pages.map(({ length }) => length)).toEqual([25, 25, 20])
  const expected = [...sent, ...received]
    .toSorted((a, b) => b.height - a.height || b.index - a.index)
    .map(hashOf)
  expect(pages.flat()).toEqual(expected)
})

test('one block with more of them than a request brings is paged through to its end', async () => {
  const sent = Array.from({ length: 260 }, (_, at) => sentAt(7, at))
  const pages = await pagesOf([...sent, sentAt(6, 0)], 'out')
  expect(pages.flat()).toEqual([...sent.toReversed(), sentAt(6, 0)].map(hashOf))
  expect(pages).toHaveLength(11)
})

test('a direction shows what was sent, or what was received', async () => {
  const sent = [sentAt(1, 0), sentAt(2, 0, 'recipient')]
  expect((await pagesOf(sent, 'out')).flat()).toEqual([hashOf(sentAt(1, 0))])
  expect((await pagesOf(sent, 'in')).flat()).toEqual([hashOf(sentAt(2, 0))])
  expect(await loadCounts(nodeOf(sent), ADDRESS)).toEqual({ sent: 1, received: 1 })
})

test('a full last page leads nowhere', async () => {
  const sent = Array.from({ length: PAGE }, (_, at) => sentAt(at, 0))
  expect(await pagesOf(sent, 'out')).toHaveLength(1)
})

test('places come back from an address as they were put there, and nothing else does', () => {
  expect(readPlace(placeText({ height: 12, index: 3 }))).toEqual({ height: 12, index: 3 })
  for (const text of [undefined, '', '12', '12.', '-1.0', '1e3.0', '9'.repeat(20), '1.2.3'])
    expect(readPlace(text)).toBeUndefined()
  expect(mergeLatest([[]], { height: 0, index: 0 })).toEqual([])
})
