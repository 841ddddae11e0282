/**
 * Recorded requests and answers of a CometBFT v0.38 node (vectors: comet/rpc-fixtures-v0_38): each request is understood,
 * and each recorded answer has the shape that this server gives for the same thing, field by field.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startCometRpc } from '../../src/consensusRpc/server.ts'
import { cometTable } from '../../src/consensusRpc/table.ts'
import { readParams, readRequest } from '../../src/consensusRpc/transport/envelope.ts'
import { createKvstoreNode } from '../support/kvstoreNode.ts'

const FOLDER = join(process.env['ASSAY_VECTORS'] ?? '../shared/vectors', 'comet/rpc-fixtures-v0_38')
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'
const present = existsSync(FOLDER)
if (!present && !REQUIRED) console.warn(`skipped: no vectors in ${FOLDER} (set ASSAY_VECTORS)`)

const filesIn = (folder: string): readonly string[] =>
  present ? readdirSync(join(FOLDER, folder)).filter((name) => name.endsWith('.json')) : []
const fixture = (folder: string, name: string): unknown =>
  JSON.parse(readFileSync(join(FOLDER, folder, name), 'utf8'))

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The encoding that a scalar is written in. */
function encodingOf(value: unknown): string {
  if (typeof value !== 'string') return value === null ? 'null' : typeof value
  if (value === '') return 'empty'
  if (/^-?\d+$/.test(value)) return 'integer'
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)) return 'time'
  if (/^(?:[0-9A-F]{2}){8,}$/.test(value)) return 'HEX'
  if (value.length >= 8 && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value))
    return 'base64'
  return 'text'
}

/** Encodings that depend on the value and not on the field. */
const LOOSE = new Set(['text', 'base64', 'empty', 'integer'])

/**
 * Paths at which ours differs from the recording. Lists are compared by their first elements; null or an absent list
 * stands for an empty one, as the recording's application sometimes wrote one and sometimes the other.
 */
function differences(recorded: unknown, ours: unknown, path: string): readonly string[] {
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    return recorded.length === 0 || ours.length === 0
      ? []
      : differences(recorded[0], ours[0], `${path}[]`)
  }
  if (Array.isArray(recorded) !== Array.isArray(ours)) {
    return recorded === null || ours === null ? [] : [`${path}: one is a list`]
  }
  if (isObject(recorded) && isObject(ours)) {
    return [...new Set([...Object.keys(recorded), ...Object.keys(ours)])].flatMap((key) => {
      const at = `${path}.${key}`
      if (!(key in recorded)) return [`${at}: only ours`]
      if (!(key in ours)) return [`${at}: only recorded`]
      return differences(recorded[key], ours[key], at)
    })
  }
  const [a, b] = [encodingOf(recorded), encodingOf(ours)]
  if (a === b || (LOOSE.has(a) && LOOSE.has(b)) || a === 'null' || b === 'null') return []
  return [`${path}: recorded ${a}, ours ${b}`]
}

const node = createKvstoreNode()
const stop = new AbortController()
const COMMIT_TX = Buffer.from('async-key=value')
let url = ''
let compared = 0

beforeAll(async () => {
  await node.produceBlock()
  await node.world.engine.broadcast(COMMIT_TX)
  for (let height = 2; height <= 12; height++) await node.produceBlock()
  const log = pino({ level: 'silent' })
  const address = { host: '127.0.0.1', port: 0 }
  const rpc = await startCometRpc({ address, world: node.world, log, signal: stop.signal })
  url = `http://127.0.0.1:${rpc.address.port}`
})
afterAll(async () => {
  stop.abort()
  await node.close()
  if (present) console.warn(`comet RPC: ${compared} recorded requests and answers compared`)
})

async function post(method: string, params: unknown): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params })
  const answer: unknown = await (await fetch(url, { method: 'POST', body })).json()
  return isObject(answer) ? answer : {}
}

/** Our answer to a call that needs a block to be made while it waits. */
async function postWhileProducing(method: string, params: unknown): Promise<Json> {
  let isDone = false
  const answer = post(method, params).finally(() => (isDone = true))
  await expect
    .poll(async () => {
      await node.produceBlock()
      return isDone
    })
    .toBe(true)
  return answer
}

/** The first event of a subscription, after a block with a transaction. */
async function firstEvent(query: string): Promise<Json> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`)
  await new Promise((resolve) => socket.once('open', resolve))
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 'x',
    method: 'subscribe',
    params: { query },
  })
  const message = (): Promise<Json> =>
    new Promise((resolve) =>
      socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as Json)),
    )
  const accepted = message()
  socket.send(request)
  const first = await accepted
  if (first['error'] !== undefined) {
    socket.close()
    return first
  }
  const event = message()
  if (query.includes('Tx')) await node.world.engine.broadcast(Buffer.from(`event=${compared}`))
  await node.produceBlock()
  const received = await event
  socket.close()
  return received
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** How to get our own answer to what a recorded answer belongs to; undefined when nothing here corresponds to it. */
function ourAnswer(name: string): (() => Promise<Json>) | undefined {
  const blockHash = node.world.reader.block(10)?.blockId.hash ?? new Uint8Array(0)
  const known: Readonly<Record<string, () => Promise<Json>>> = {
    'abci_query_with_existing_key.json': () => post('abci_query', { data: '6173796e632d6b6579' }),
    'abci_query_with_non_existent_key.json': () => post('abci_query', { data: '6e6f6e65' }),
    'abci_info.json': () => post('abci_info', {}),
    'block_at_height_0.json': () => post('block', { height: '0' }),
    'block_at_height_1.json': () => post('block', { height: '1' }),
    'block_at_height_10.json': () => post('block', { height: '10' }),
    'block_by_hash.json': () => post('block_by_hash', { hash: base64(blockHash) }),
    'block_results_at_height_10.json': () => post('block_results', { height: '10' }),
    'blockchain_from_1_to_10.json': () => post('blockchain', { minHeight: '1', maxHeight: '10' }),
    'broadcast_tx_async.json': () => post('broadcast_tx_async', { tx: base64(Buffer.from('a=1')) }),
    'broadcast_tx_commit.json': () =>
      postWhileProducing('broadcast_tx_commit', { tx: base64(Buffer.from('commit-key=value')) }),
    'broadcast_tx_sync.json': () => post('broadcast_tx_sync', { tx: base64(Buffer.from('s=1')) }),
    'commit_at_height_10.json': () => post('commit', { height: '10' }),
    'consensus_params.json': () => post('consensus_params', { height: '10' }),
    'consensus_state.json': () => post('consensus_state', {}),
    'genesis.json': () => post('genesis', null),
    'net_info.json': () => post('net_info', null),
    'status.json': () => post('status', null),
    'subscribe_malformed.json': () => firstEvent('malformed query'),
    'tx_search_with_prove.json': () =>
      post('tx_search', { query: "app.key = 'async-key'", prove: true }),
    'block_search.json': () => post('block_search', { query: 'block.height > 1' }),
  }
  if (known[name] !== undefined) return known[name]
  if (/^subscribe_newblock_\d/.test(name)) return () => firstEvent("tm.event = 'NewBlock'")
  if (/^subscribe_txs_\d/.test(name)) return () => firstEvent("tm.event = 'Tx'")
  if (name.startsWith('subscribe_txs_broadcast')) {
    return () => post('broadcast_tx_async', { tx: base64(Buffer.from(`b=${name}`)) })
  }
  return undefined
}

test('the vectors are there when they are required', () => {
  expect(present || !REQUIRED).toBe(true)
})

test.each(filesIn('outgoing'))('the request %s is understood', (name) => {
  const { id, method, params } = readRequest(fixture('outgoing', name))
  expect(id).toMatch(/^"[0-9a-f-]{36}"$/)
  compared++
  const row = cometTable.get(method)
  if (row === undefined) throw new Error(`there is no endpoint ${method}`)
  expect(Object.keys(readParams(row, params))).toEqual(Object.keys(row.args))
})

test.each(filesIn('incoming'))('the answer %s has the shape of ours', async (name) => {
  const recorded = fixture('incoming', name)
  const ask = ourAnswer(name)
  // An empty object is the recorder's note of a first reply.
  if (ask === undefined) {
    expect(Object.keys(recorded as Json)).toEqual([])
    return
  }
  const ours = await ask()
  compared++
  expect(differences(recorded, ours, '$')).toEqual([])
  const error = isObject(recorded) ? recorded['error'] : undefined
  if (error !== undefined) expect(ours['error']).toEqual(error)
})
