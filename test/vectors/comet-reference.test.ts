/**
 * Our consensus RPC beside that of a real CometBFT node with the same identity, genesis, application and transactions:
 * every answer is the same text, but for hashes, times, signatures and addresses. Needs the `cometbft` binary.
 */
import { once } from 'node:events'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startCometRpc } from '../../src/consensusRpc/server.ts'
import { type CometbftNode, hasCometbft, startCometbft } from '../support/cometbft.ts'
import { createKvstoreNode, type KvstoreNode } from '../support/kvstoreNode.ts'
import { GET_REQUESTS, POST_REQUESTS, WEBSOCKET_MESSAGES } from '../support/cometRequests.ts'
import { waitFor } from '../support/waitFor.ts'

const present = hasCometbft()
if (!present) console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const stop = new AbortController()
let real: CometbftNode
let node: KvstoreNode
let ours = ''
let compared = 0

/** Names in requests that stand for values of either node. */
type Names = Readonly<Record<string, string>>
let names: { readonly real: Names; readonly ours: Names }

const base64OfHex = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** Takes out what no two nodes have in common. */
function normalise(text: string): string {
  return (
    text
      // Go writes these characters for web pages.
      .replaceAll(String.raw`\u003c`, '<')
      .replaceAll(String.raw`\u003e`, '>')
      .replaceAll(String.raw`\u0026`, '&')
      .replace(/\b[0-9A-F]{64}\b/g, '<hash>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/"[A-Za-z0-9+/]{86}=="/g, '"<signature>"')
      .replace(/(Precommit\)) \w+ \w+/g, '$1 <hash> <signature>')
      .replace(/tcp:\/\/[\d.]+:\d+/g, '<address>')
      .replace(/"data":"[A-Za-z0-9+/]{300,}=*"/g, '"data":"<genesis>"')
      .replace(/("block_size"):"\d+"/g, '$1:"<size>"')
  )
}

async function ask(base: string, own: Names, request: string): Promise<string> {
  const filled = Object.entries(own).reduce(
    (text, [name, value]) => text.replaceAll(name, value),
    request,
  )
  const response = filled.startsWith('/')
    ? await fetch(base + filled)
    : await fetch(base, { method: 'POST', body: filled })
  const text = await response.text()
  // CometBFT lets errors be cached when they were posted, which helps nobody.
  const isPostedError = !filled.startsWith('/') && text.includes('"error"')
  const cache = isPostedError ? null : response.headers.get('cache-control')
  return `${response.status} ${response.headers.get('content-type')} ${cache} ${normalise(text)}`
}

/** Gives both nodes a transaction and waits until both have it in a block, and an empty block after it. */
async function commit(tx: string): Promise<string> {
  const path = `/broadcast_tx_commit?tx=0x${Buffer.from(tx).toString('hex')}`
  const theirs = await (await fetch(real.url + path)).text()
  const answer = fetch(ours + path).then((response) => response.text())
  await waitFor(() => expect(node.world.pool.pending().get('')).toHaveLength(1))
  await node.produceBlock()
  await node.produceBlock()
  expect(normalise(await answer)).toBe(normalise(theirs))
  const height = node.world.reader.height()
  await waitFor(async () => {
    expect((await fetch(`${real.url}/block_results?height=${height}`)).ok).toBe(true)
    // Searches find what is indexed a little later.
    const indexed = await fetch(`${real.url}/block_search?query="block.height=${height}"`)
    expect(await indexed.text()).toContain('"total_count":"1"')
  })
  return (JSON.parse(theirs) as { readonly result: { readonly hash: string } }).result.hash
}

async function namesOf(base: string, hash: string): Promise<Names> {
  const answer = (await (await fetch(`${base}/block?height=2`)).json()) as {
    readonly result: { readonly block_id: { readonly hash: string } }
  }
  const block = answer.result.block_id.hash
  return {
    '<tx>': hash,
    '<tx64>': base64OfHex(hash),
    '<block>': block,
    '<block64>': base64OfHex(block),
    '<long>': 'x'.repeat(600),
  }
}

beforeAll(async () => {
  if (!present) return
  real = await startCometbft()
  node = createKvstoreNode({ twin: real.twin })
  const rpc = await startCometRpc({
    address: { host: '127.0.0.1', port: 0 },
    world: node.world,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
  })
  ours = `http://127.0.0.1:${rpc.address.port}`
  await node.produceBlock()
  const hash = await commit('name=satoshi')
  await commit('age=8')
  await commit(node.powerTransaction(12).toString())
  names = { real: await namesOf(real.url, hash), ours: await namesOf(ours, hash) }
}, 60_000)
afterAll(async () => {
  stop.abort()
  if (!present) return
  await node.close()
  await real.stop()
  console.warn(`comet reference: ${compared} answers compared with CometBFT's`)
})

type Message = { readonly result?: { events?: Record<string, unknown> } }

/** A WebSocket that collects what it receives, normalised; members of `events` in order, as Go writes them in any. */
async function listen(
  base: string,
): Promise<{ readonly socket: WebSocket; readonly received: string[] }> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/websocket`)
  const received: string[] = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    const { events } = message.result ?? {}
    if (message.result !== undefined && events !== undefined)
      message.result.events = Object.fromEntries(
        Object.entries(events).sort(([a], [b]) => (a < b ? -1 : 1)),
      )
    received.push(normalise(JSON.stringify(message)))
  })
  await once(socket, 'open')
  return { socket, received }
}

test.skipIf(!present)('a WebSocket is answered as by CometBFT', async () => {
  for (const message of WEBSOCKET_MESSAGES) {
    const answers: (string | undefined)[] = []
    for (const base of [real.url, ours]) {
      const { socket, received } = await listen(base)
      socket.send(message)
      // Its answer comes last, and shows that a notification had none.
      socket.send('{"id":"last","method":"health"}')
      await waitFor(() => expect(received.at(-1)).toContain('"last"'))
      answers.push(received.slice(0, -1).join())
      socket.close()
    }
    compared++
    expect(`${message}: ${answers[1]}`).toBe(`${message}: ${answers[0]}`)
  }
})

test.skipIf(!present)(
  'the events of a block come as from CometBFT, in the same order',
  async () => {
    const clients = [await listen(real.url), await listen(ours)] as const
    const query = 'tm.event EXISTS'
    const subscribe = JSON.stringify({ id: 1, method: 'subscribe', params: { query } })
    for (const { socket } of clients) socket.send(subscribe)
    for (const { received } of clients) await waitFor(() => expect(received).toHaveLength(1))
    await commit('heard=yes')
    await commit(node.powerTransaction(13).toString())
    const last = node.world.reader.height() + 1
    const isLast = (text: string): boolean =>
      text.includes(`{"height":"${last}","round":0,"step":"RoundStepNewRound"`)
    for (const { received } of clients)
      await waitFor(() => expect(received.some(isLast)).toBe(true))
    const [theirs, own] = clients.map(({ received }) =>
      // Our engine does not sign prevotes.
      received.filter((text) => !text.includes('{"Vote":{"type":1,')),
    )
    compared += own?.length ?? 0
    expect(own).toEqual(theirs)
    expect(own?.length).toBeGreaterThanOrEqual(60)
    for (const { socket } of clients) socket.close()
  },
)

const word = fc.constantFrom(
  'app.key',
  'app.creator',
  'app.noindex_key',
  'tx.height',
  'tm.event',
  'x',
  'AND',
  'OR',
  '=',
  '<',
  '<=',
  '>',
  '>=',
  'CONTAINS',
  'EXISTS',
  'exists',
  "'name'",
  "'Cosmoshi'",
  "'2'",
  "'8'",
  "'a",
  '2',
  '8',
  '8.',
  '7.5',
  '00',
  '-1',
  'DATE 2020-01-01',
  'DATE 2020-13-01',
  'DATE',
  'DATE 2020-02-30',
  'DATE 2020-1-1',
  'DATE 202',
  'DATE 2020-01-011',
  'DATE 3000-01-01',
  'TIME 2020-01-01T24:00:00Z',
  'TIME 2020-01-01T1:60:00Z',
  'TIME 2020-01-01T00:00:61Z',
  'TIME 2020-01-01T00:00:00',
  'TIME 2020-01-01T00:00:00+25:00',
  'TIME 2020-01-01T00:00:00ZZ',
  'TIME 2020-01-01',
  'TIME 2020-01-01T00:00:00+01:00',
  'TIME 2020-01-01T0:00:00Z',
  'TIME 2020-01-01T00:00:00Z',
  'TIME 1000-01-01T00:00:00Z',
  'TIME x',
  '(',
  'é',
  '.a',
  '_b',
)
const tag = fc.constantFrom(
  'app.key',
  'app.creator',
  'app.index_key',
  'tx.height',
  'app.noindex_key',
)
const condition = fc.oneof(
  fc
    .tuple(tag, fc.constantFrom('=', '<', '<=', '>', '>='), fc.constantFrom('2', '4', '7.5', '8'))
    .map((parts) => parts.join(' ')),
  fc
    .tuple(
      tag,
      fc.constantFrom('=', 'CONTAINS'),
      fc.constantFrom("'name'", "'8'", "'Cosmoshi'", "'4'"),
    )
    .map((parts) => parts.join(' ')),
  tag.map((name) => `${name} EXISTS`),
)
const queries = fc.oneof(
  fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
  fc.array(condition, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' AND ')),
)

test.skipIf(!present)(
  'any search is answered as by CometBFT, or refused with its words',
  async () => {
    for (const query of fc.sample(queries, { numRuns: 2000, seed: 38 })) {
      const body = JSON.stringify({ id: 1, method: 'tx_search', params: { query } })
      compared++
      const answer = `${query}: ${await ask(ours, names.ours, body)}`
      expect(answer).toBe(`${query}: ${await ask(real.url, names.real, body)}`)
    }
  },
  60_000,
)

// Holds D22.
test.skipIf(!present).each(GET_REQUESTS)('GET %s is answered as by CometBFT', async (request) => {
  compared++
  expect(await ask(ours, names.ours, request)).toBe(await ask(real.url, names.real, request))
})

test.skipIf(!present).each(POST_REQUESTS)('POST %s is answered as by CometBFT', async (request) => {
  compared++
  expect(await ask(ours, names.ours, request)).toBe(await ask(real.url, names.real, request))
})
