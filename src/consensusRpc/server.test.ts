import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKvstoreNode } from '../../test/support/kvstoreNode.ts'
import { UserError } from '../base/errors.ts'
import { startCometRpc } from './server.ts'

const log = pino({ level: 'silent' })
const node = createKvstoreNode()
const stop = new AbortController()
let url = ''

/** SHA-256 of `name=satoshi`. */
const TX_HASH = '57D835FBBA0DBF922D8A2EDA56922C9B24E7760927F245A7684A736C4769DB8A'

beforeAll(async () => {
  await node.produceBlock()
  await node.world.engine.broadcast(Buffer.from('name=satoshi'))
  await node.produceBlock()
  await node.produceBlock()
  const rpc = await startCometRpc({
    address: { host: '127.0.0.1', port: 0 },
    world: node.world,
    log,
    signal: stop.signal,
    limits: { maxBodyBytes: 10_000 },
  })
  url = `http://127.0.0.1:${rpc.address.port}`
})
afterAll(async () => {
  stop.abort()
  await node.close()
})

type Answer = {
  readonly id?: unknown
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/${path}`, { headers })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer,
  }
}

async function post(body: string) {
  const response = await fetch(url, { method: 'POST', body })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : (JSON.parse(text) as Answer),
  }
}

const call = (method: string, params: unknown, id: unknown = 1) =>
  post(JSON.stringify({ jsonrpc: '2.0', id, method, params }))

test('a URI request is answered under the id -1', async () => {
  const { status, headers, body } = await get('block?height=2')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    id: -1,
    result: { block: { header: { height: '2' } } },
  })
  expect(headers.get('content-type')).toBe('application/json')
  expect(Number(headers.get('x-server-time'))).toBeCloseTo(Date.now() / 1000, -2)
})

test.each(['block?height=2', 'block?height="2"', 'genesis', 'abci_info', `tx?hash=0x${TX_HASH}`])(
  'the answer to %s may be cached',
  async (path) => {
    const { status, headers } = await get(path)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
  },
)

test('answers about the latest height are not cached', async () => {
  for (const path of ['block', 'status', 'validators', 'commit', 'health']) {
    expect((await get(path)).headers.get('cache-control')).toBeNull()
  }
})

test.each([
  ['block?height=0', 'height must be greater than 0, but got 0'],
  ['block?height=-5', 'height must be greater than 0, but got -5'],
  ['commit?height=99', 'height 99 must be less than or equal to the current blockchain height 3'],
  [
    'block?height=9223372036854775807',
    'height 9223372036854775807 must be less than or equal to the current blockchain height 3',
  ],
  ['validators?height=5', 'height 5 must be less than or equal to the current blockchain height 4'],
  ['validators?page=2', 'page should be within [1, 1] range, given 2'],
  ['tx?hash=0xAB', 'tx (AB) not found'],
  ['blockchain?minHeight=-1', 'heights must be non-negative'],
  ['blockchain?minHeight=9', "min height 9 can't be greater than max height 3"],
  ['genesis_chunked?chunk=1', 'there are 0 chunks, 1 is invalid'],
])("GET /%s fails with CometBFT's words", async (path, data) => {
  const { status, body } = await get(path)
  expect(status).toBe(500)
  expect(body).toEqual({
    jsonrpc: '2.0',
    id: -1,
    error: { code: -32603, message: 'Internal error', data },
  })
})

test.each([
  ['block?height=0x5', "got a hex string arg, but expected 'int64'"],
  ['block?height=five', 'invalid 64-bit integer encoding "five", expected string'],
  [
    'block?height=9223372036854775808',
    'json: cannot unmarshal number 9223372036854775808 into Go value of type int64',
  ],
  ['tx?hash=0xABC', 'encoding/hex: odd length hex string'],
  ['tx?hash=0xAB&prove=1', 'json: cannot unmarshal number into Go value of type bool'],
  ['abci_query?path=store', "invalid character 's' looking for beginning of value"],
])('GET /%s has an argument that cannot be read', async (path, reason) => {
  const { status, body } = await get(path)
  expect(status).toBe(500)
  expect(body.error).toEqual({
    code: -32602,
    message: 'Invalid params',
    data: `error converting http params to arguments: ${reason}`,
  })
})

test.each(['', 'hash=0x', 'hash=0xAB', `hash=0x${'AB'.repeat(3000)}`])(
  'no block has the hash of ?%s',
  async (query) => {
    expect((await get(`header_by_hash?${query}`)).body.result).toEqual({ header: null })
    expect((await get(`block_by_hash?${query}`)).body.result).toMatchObject({ block: null })
  },
)

test('bytes in a URI are hex, or a quoted text that stands for itself', async () => {
  const quoted = await get('abci_query?data="name"')
  const hex = await get('abci_query?data=0x6e616d65')
  expect(quoted.body.result).toEqual(hex.body.result)
  expect(quoted.body.result).toMatchObject({
    response: { key: 'bmFtZQ==', value: Buffer.from('satoshi').toString('base64') },
  })
})

test('arguments may come as a posted form', async () => {
  const response = await fetch(`${url}/block`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'height=2',
  })
  expect(await response.json()).toMatchObject({ result: { block: { header: { height: '2' } } } })
})

test.each(['nonsense', 'dial_seeds?seeds=["a"]', '..%2f', 'constructor', '__proto__'])(
  'there is nothing at /%s',
  async (path) => {
    const response = await fetch(`${url}/${path}`)
    expect(response.status).toBe(404)
    expect(await response.text()).toBe('404 page not found\n')
  },
)

test('subscriptions are not there over HTTP', async () => {
  const { status, body } = await get('subscribe?query="tm.event=\'Tx\'"')
  expect(status).toBe(404)
  expect(body.error).toEqual({ code: -32601, message: 'Method not found' })
})

test('ids come back with their type', async () => {
  for (const id of [7, 0, -3, 'seven', '', 9007199254740991]) {
    expect((await call('health', {}, id)).body).toEqual({ jsonrpc: '2.0', id, result: {} })
  }
  expect((await post('{"id":1.9,"method":"health"}')).body).toMatchObject({ id: 1 })
})

test('a notification is skipped and a batch answers the rest', async () => {
  expect((await post('{"method":"health"}')).text).toBe('')
  expect((await post('[]')).text).toBe('')
  const batch = [
    { id: 1, method: 'health' },
    { id: null, method: 'health' },
    { id: 'two', method: 'nothing' },
    { id: 3, method: 'block', params: { height: 2 } },
  ]
  const { status, text } = await post(JSON.stringify(batch))
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 'two', error: { code: -32601, message: 'Method not found' } },
    {
      jsonrpc: '2.0',
      id: 3,
      error: {
        code: -32602,
        message: 'Invalid params',
        data: 'error converting json params to arguments: invalid 64-bit integer encoding "2", expected string',
      },
    },
  ])
})

test('a batch over the limit is refused as a whole', async () => {
  const { status, body } = await post(
    JSON.stringify(Array.from({ length: 11 }, (_, id) => ({ id, method: 'health' }))),
  )
  expect(status).toBe(200)
  expect(body).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32600,
      message: 'Invalid Request',
      data: 'batch request exceeds maximum (10) allowed number of requests',
    },
  })
})

test.each([
  ['{', 500, -32700],
  ['5', 500, -32700],
  ['[1]', 500, -32700],
  ['{"id":{},"method":"health"}', 500, -32700],
  ['{"id":true,"method":"health"}', 500, -32700],
  ['{"id":1e300,"method":"health"}', 500, -32700],
  ['{"id":1,"method":5}', 500, -32700],
  ['['.repeat(4000), 500, -32700],
  [`${'['.repeat(4000)}${']'.repeat(4000)}`, 500, -32700],
  [
    `{"id":1,"method":"block","params":{"height":${'['.repeat(4000)}${']'.repeat(4000)}}}`,
    500,
    -32700,
  ],
  [`{"id":1,"method":"block","params":{"height":${'['.repeat(40)}${']'.repeat(40)}}}`, 200, -32602],
  ['{"id":1,"method":"block","params":"x"}', 200, -32602],
  ['{"id":1,"method":"block","params":[]}', 200, -32602],
  ['{"id":1,"method":"block","params":["1","2"]}', 200, -32602],
  ['{"id":1,"method":"tx","params":{"hash":"not base64!"}}', 200, -32602],
  ['{"id":1,"method":"tx","params":{"hash":["AA=="]}}', 200, -32602],
  ['{"id":1,"method":"header_by_hash","params":{"hash":"xyz1"}}', 200, -32602],
  ['{"id":1,"method":"subscribe","params":{"query":"a EXISTS"}}', 200, -32601],
  ['{"id":1,"method":"toString","params":{}}', 200, -32601],
  ['{"id":1,"method":"block"}', 500, -32603],
])('the body %s is refused without harm', async (body, status, code) => {
  const answer = await post(body)
  expect(answer.status).toBe(status)
  expect(answer.body?.error?.code).toBe(code)
  expect((await call('health', {})).status).toBe(200)
})

test('a wrong number of positional parameters names the right ones', async () => {
  const { body } = await call('validators', [])
  expect(body?.error?.data).toBe(
    'error converting json params to arguments: expected 3 parameters ([height page per_page]), got 0 ([])',
  )
})

test('null stands for an argument that is left out', async () => {
  expect((await call('block', null)).body?.result).toMatchObject({
    block: { header: { height: '3' } },
  })
  expect((await call('block', [null])).body?.result).toMatchObject({
    block: { header: { height: '3' } },
  })
})

test('a handler error over POST has status 200', async () => {
  const { status, body } = await call('block', { height: '0' })
  expect(status).toBe(200)
  expect(body?.error?.data).toBe('height must be greater than 0, but got 0')
})

test('a body over the limit is refused with 400', async () => {
  const { status, body } = await post('x'.repeat(20_000))
  expect(status).toBe(400)
  expect(body).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32600,
      message: 'Invalid Request',
      data: 'error reading request body: http: request body too large',
    },
  })
})

test('an empty body lists the endpoints', async () => {
  const response = await fetch(url, { method: 'POST' })
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(await response.text()).toContain('/block?height=_')
})

test('another page under a foreign name is not served', async () => {
  const statusFor = async (host: string): Promise<number | undefined> => {
    const outgoing = request(`${url}/health`, { headers: { host } }).end()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  expect(await statusFor('evil.example:26657')).toBe(403)
  expect(await statusFor('localhost:26657')).toBe(200)
  expect(await statusFor('[::1]:26657')).toBe(200)
  expect(await statusFor('192.0.2.1')).toBe(200)
})

test('a taken port is an error that names it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const start = startCometRpc({
    address: { host: '127.0.0.1', port },
    world: node.world,
    log,
    signal: stop.signal,
  })
  await expect(start).rejects.toThrow(UserError)
  await expect(start).rejects.toThrow(`127.0.0.1:${port} is in use`)
  other.close()
})

test.each([
  ['broadcast_evidence', 'no evidence was provided'],
  [
    'broadcast_evidence?evidence={"type":"tendermint/DuplicateVoteEvidence","value":{}}',
    'evidence.ValidateBasic failed: one or both of the votes are empty nil-Vote, nil-Vote',
  ],
  [
    'broadcast_evidence?evidence={"type":"tendermint/LightClientAttackEvidence","value":{"ConflictingBlock":{}}}',
    'failed to add evidence: this chain has one validator, and its blocks carry no evidence',
  ],
])('GET /%s is refused', async (path, data) => {
  expect((await get(path)).body.error).toEqual({ code: -32603, message: 'Internal error', data })
})

test('dump_consensus_state shows the vote that decided the last block, and no peers', async () => {
  const { body } = await get('dump_consensus_state')
  const height = node.world.reader.height()
  expect(body.result).toMatchObject({
    round_state: {
      height: String(height + 1),
      step: 2,
      last_commit: {
        votes: [expect.stringMatching(`^Vote\\{0:[0-9A-F]{12} ${height}/00/`)],
        votes_bit_array: 'BA{1:x} 10/10 = 1.00',
      },
    },
    peers: [],
  })
})

test('endpoints for operators are there only with rpc.unsafe', async () => {
  const unsafe = await startCometRpc({
    address: { host: '127.0.0.1', port: 0 },
    world: node.world,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    unsafe: true,
  })
  const ask = async (path: string): Promise<Answer> =>
    (await (await fetch(`http://127.0.0.1:${unsafe.address.port}/${path}`)).json()) as Answer
  expect((await ask('dial_seeds')).error?.data).toBe('no seeds provided')
  expect((await ask('dial_seeds?seeds=["a@b:1"]')).error?.data).toMatch(/has no network/)
  expect((await ask('dial_peers')).error?.data).toBe('no peers provided')
  expect((await ask('dial_peers?peers=["a@b:1"]&persistent=true')).error?.data).toMatch(
    /has no network/,
  )
  await node.world.engine.broadcast(Buffer.from('flushed=yes'))
  expect((await ask('num_unconfirmed_txs')).result).toMatchObject({ total: '1' })
  expect((await ask('unsafe_flush_mempool')).result).toEqual({})
  expect((await ask('num_unconfirmed_txs')).result).toMatchObject({ total: '0' })
  await unsafe.close()
  expect((await fetch(`${url}/unsafe_flush_mempool`)).status).toBe(404)
})
