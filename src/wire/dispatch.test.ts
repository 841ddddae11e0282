import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createDispatch, type CallObserver, type MethodTable } from './dispatch.ts'
import { RpcError } from './errors.ts'
import { method, type Caller, type Result } from './method.ts'
import { jsonBytes } from './rawJson.ts'

const anything: Result<unknown> = { schema: z.unknown(), encode: (value) => value }

const SECRET = 'correct horse battery staple'

const table: MethodTable<object> = {
  test_echo: method({
    summary: '',
    params: { text: z.string(), count: z.int().optional(), extra: z.unknown() },
    result: anything,
    handler: (_: object, args) => args,
  }),
  test_nothing: method({ summary: '', params: {}, result: anything, handler: () => undefined }),
  test_big: method({
    summary: '',
    params: { size: z.int() },
    result: anything,
    handler: (_: object, { size }) => 'x'.repeat(size),
  }),
  test_revert: method({
    summary: '',
    params: {},
    result: anything,
    handler: async () => {
      throw new RpcError('reverted', undefined, '0x01')
    },
  }),
  test_crash: method({
    summary: '',
    params: {},
    result: anything,
    handler: () => {
      throw new Error('internal detail')
    },
  }),
  test_badData: method({
    summary: '',
    params: {},
    result: anything,
    handler: () => {
      throw new RpcError('server', 'odd', 1n)
    },
  }),
  test_bigint: method({ summary: '', params: {}, result: anything, handler: () => 1n }),
  personal_secret: method({
    summary: '',
    params: { passphrase: z.string() },
    result: anything,
    handler: (_: object, { passphrase }) => {
      if (passphrase === SECRET) throw new Error(`failed with ${passphrase}`)
      return 'done'
    },
  }),
}

const CALLER: Caller = {
  transport: 'http',
  authorized: false,
  principal: undefined,
  client: 'test',
  profile: 'spec',
  connection: undefined,
}

type Setup = { namespaces?: string[]; batchLimit?: number; observe?: CallObserver }

function setup({ namespaces, batchLimit = 4, observe }: Setup = {}) {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const dispatch = createDispatch({
    table,
    world: {},
    namespaces,
    batchLimit,
    batchResponseLimit: 1000,
    log,
    observe,
  })
  return {
    lines,
    dispatch,
    async ask(body: unknown, caller: Partial<Caller> = {}): Promise<unknown> {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const answer = await dispatch(text, { ...CALLER, ...caller })
      return answer.text === undefined ? undefined : JSON.parse(jsonBytes(answer.text).toString())
    },
  }
}

const call = (method: string, params: unknown = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const failure = (code: number, message: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

test.each([
  ['no JSON', '{"a":', failure(-32700, 'parse error', null)],
  ['an empty body', '', failure(-32700, 'parse error', null)],
  [
    '65 levels of nesting',
    '['.repeat(65) + ']'.repeat(65),
    failure(-32700, 'parse error: JSON is nested deeper than 64 levels', null),
  ],
  [
    'a body of more than 100,000 values',
    call('test_echo', ['x', 1, Array.from({ length: 100_000 }, () => ({}))]),
    failure(-32700, 'parse error: JSON has more than 100000 values', null),
  ],
  ['an empty batch', '[]', failure(-32600, 'empty batch', null)],
  ['a number', '1', failure(-32600, 'invalid request', null)],
  ['no method', '{"jsonrpc":"2.0","id":5}', failure(-32600, 'invalid request', 5)],
  ['an empty method', call(''), failure(-32600, 'invalid request')],
  [
    'an unknown method',
    call('test_none'),
    failure(-32601, 'the method test_none does not exist/is not available'),
  ],
  [
    'a method of every object',
    call('constructor'),
    failure(-32601, expect.stringContaining('constructor')),
  ],
  ['named params', call('test_echo', { text: 'x' }), failure(-32602, 'non-array args')],
  [
    'a missing argument',
    call('test_echo'),
    failure(-32602, 'missing value for required argument 0'),
  ],
  [
    'null for a needed argument',
    call('test_echo', [null]),
    failure(-32602, 'missing value for required argument 0'),
  ],
  [
    'one argument too many',
    call('test_nothing', [1]),
    failure(-32602, 'too many arguments, want at most 0'),
  ],
  [
    'a wrong type',
    call('test_echo', [1]),
    failure(
      -32602,
      'invalid argument 0: json: cannot unmarshal number into Go value of type string',
    ),
  ],
])('%s is answered with its code', async (_, body, answer) => {
  expect(await setup().ask(body)).toEqual(answer)
})

test('null stands for an omitted argument', async () => {
  expect(await setup().ask(call('test_echo', ['a', null]))).toMatchObject({ result: { text: 'a' } })
})

test.each([
  ['a string', '"abc"', '"abc"'],
  ['a string of 256 bytes', `"${'a'.repeat(256)}"`, `"${'a'.repeat(256)}"`],
  ['null', 'null', 'null'],
  ['the largest safe integer', '9007199254740991', '9007199254740991'],
  ['a negative integer', '-7', '-7'],
  ['a time in nanoseconds', '1763836800123456789', '1763836800123456789'],
  ['a fraction', '1.50', '1.50'],
  ['a number beyond every other', '1e400', '1e400'],
])('%s as id comes back as it was', async (_, id, echo) => {
  const { text } = await setup().dispatch(
    `{"jsonrpc":"2.0","id":${id},"method":"test_nothing"}`,
    CALLER,
  )
  expect(text).toBe(`{"jsonrpc":"2.0","id":${echo},"result":null}`)
})

test('each request of a batch gets its own id back, whatever its number', async () => {
  const ids = ['1763836800123456789', '2.5']
  const batch = ids.map((id) => `{"id":${id},"jsonrpc":"2.0","method":"test_nothing"}`)
  const { text } = await setup().dispatch(`[7, ${batch.join(', ')}]`, CALLER)
  const parts = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"result":null}`)
  const refused = JSON.stringify(failure(-32600, 'invalid request', null))
  expect(text).toBe(`[${[refused, ...parts].join(',')}]`)
})

test.each(['true', '[]', '{}', `"${'a'.repeat(257)}"`, `1${'0'.repeat(256)}`])(
  'the id %s is refused, since it is none or too long',
  async (id) => {
    expect(await setup().ask(`{"jsonrpc":"2.0","id":${id},"method":"test_nothing"}`)).toEqual(
      failure(-32600, 'invalid request', null),
    )
  },
)

test('duplicate keys and __proto__ change nothing else', async () => {
  const { ask } = setup()
  expect(
    await ask(
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"test_nothing","__proto__":{"method":"test_crash"}}',
    ),
  ).toEqual({ jsonrpc: '2.0', id: 2, result: null })
  expect(await ask('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"test_nothing"}}')).toEqual(
    failure(-32600, 'invalid request'),
  )
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('notifications are carried out and not answered', async () => {
  const observe = vi.fn<CallObserver>()
  const { ask } = setup({ observe })
  const notification = { jsonrpc: '2.0', method: 'test_echo', params: ['x'] }
  expect(await ask(notification)).toBeUndefined()
  expect(await ask([notification, notification])).toBeUndefined()
  expect(await ask({ ...notification, params: [] })).toBeUndefined()
  expect(observe.mock.calls.map(([name, , code]) => [name, code])).toEqual([
    ['test_echo', undefined],
    ['test_echo', undefined],
    ['test_echo', undefined],
    ['test_echo', -32602],
  ])
})

test('the observer is not told names that strangers make up', async () => {
  const observe = vi.fn<CallObserver>()
  await setup({ observe }).ask(call('made_up'))
  expect(observe).toHaveBeenCalledWith('unknown', expect.any(Number), -32601, undefined)
})

test('a batch is answered in order, each item by itself', async () => {
  expect(
    await setup().ask([
      call('test_nothing'),
      1,
      call('test_revert', [], 'b'),
      call('test_none', [], 3),
    ]),
  ).toEqual([
    { jsonrpc: '2.0', id: 1, result: null },
    failure(-32600, 'invalid request', null),
    { jsonrpc: '2.0', id: 'b', error: { code: 3, message: 'execution reverted', data: '0x01' } },
    failure(-32601, expect.any(String), 3),
  ])
})

test('calls that overlap are begun together, after what stands before them and before what follows', async () => {
  const events: string[] = []
  const track = (overlapping: boolean) =>
    method({
      summary: 'Tells when it begins and ends.',
      params: { name: z.string() },
      result: anything,
      overlaps: overlapping,
      async handler(_world: object, { name }) {
        events.push(`+${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        events.push(`-${name}`)
        return name
      },
    })
  const dispatch = createDispatch({
    table: { test_one: track(false), test_many: track(true) },
    world: {},
    batchLimit: 10,
    batchResponseLimit: 1000,
    log: pino({ level: 'silent' }),
  })
  const batch = [
    call('test_one', ['a']),
    call('test_many', ['b']),
    call('test_many', ['c']),
    call('test_many', [7]),
    call('test_one', ['d']),
    call('test_many', ['e']),
  ]
  const { text } = await dispatch(JSON.stringify(batch), CALLER)
  expect(events.join(' ')).toBe('+a -a +b +c -b -c +d -d +e -e')
  expect(JSON.parse(jsonBytes(text ?? '').toString())).toMatchObject([
    { result: 'a' },
    { result: 'b' },
    { result: 'c' },
    { error: { code: -32602 } },
    { result: 'd' },
    { result: 'e' },
  ])
})

test('a batch over the limit is refused under the id of its first call', async () => {
  const notification = { jsonrpc: '2.0', method: 'test_nothing' }
  const batch = [
    notification,
    call('test_nothing', [], 7),
    notification,
    notification,
    notification,
  ]
  expect(await setup().ask(batch)).toEqual([failure(-32600, 'batch too large', 7)])
  expect(await setup({ batchLimit: 5 }).ask(batch)).toHaveLength(1)
})

test('answers of a batch beyond the size limit are replaced by errors', async () => {
  const answers = await setup().ask([
    call('test_big', [400]),
    call('test_big', [900], 2),
    call('test_big', [1], 3),
  ])
  expect(answers).toEqual([
    expect.objectContaining({ id: 1, result: 'x'.repeat(400) }),
    failure(-32003, 'response too large', 2),
    failure(-32003, 'response too large', 3),
  ])
})

test('an unexpected exception tells the caller nothing and the log everything', async () => {
  const { ask, lines } = setup()
  const crashed = failure(-32603, 'method handler crashed')
  expect(await ask(call('test_crash'))).toEqual(crashed)
  expect(await ask(call('test_bigint'))).toEqual(crashed)
  expect(await ask(call('test_badData'))).toMatchObject({ error: { code: -32603 } })
  expect(lines.join()).toContain('internal detail')
})

test('a namespace that is switched off can not be told from one that does not exist', async () => {
  const { ask } = setup({ namespaces: ['test'] })
  const [off, never] = [
    await ask(call('personal_secret', ['x'])),
    await ask(call('personal_nothing')),
  ]
  expect(off).toEqual(failure(-32601, 'the method personal_secret does not exist/is not available'))
  expect(never).toEqual(
    failure(-32601, 'the method personal_nothing does not exist/is not available'),
  )
})

test('private methods need authority, and its scope', async () => {
  const { ask, dispatch } = setup()
  const body = call('personal_secret', ['x'])
  expect(await ask(body)).toEqual(failure(4100, 'unauthorized: missing token'))
  expect(await ask(body, { refusal: 'stale token' })).toEqual(
    failure(4100, 'unauthorized: stale token'),
  )
  expect(await ask([body])).toEqual([failure(4100, expect.any(String))])
  expect((await dispatch(JSON.stringify(body), CALLER)).isUnauthorized).toBe(true)
  expect((await dispatch(JSON.stringify([body]), CALLER)).isUnauthorized).toBe(false)
  for (const scope of [undefined, ['*'], ['personal:*'], ['personal:secret']])
    expect(await ask(body, { authorized: true, scope })).toMatchObject({ result: 'done' })
  for (const scope of [[], ['personal'], ['personal:other'], ['miner:*'], ['personal_secret']])
    expect(await ask(body, { authorized: true, scope })).toMatchObject({ error: { code: 4100 } })
})

test('a failure of a private method leaves no secret in answer or log', async () => {
  const { ask, lines } = setup()
  const answer = await ask(call('personal_secret', [SECRET]), { authorized: true })
  await ask(call('personal_secret', [SECRET, SECRET]), { authorized: true })
  await ask(call('personal_secret', [SECRET]))
  expect(answer).toEqual(failure(-32603, 'method handler crashed'))
  expect(lines.join()).toContain('personal_secret')
  expect(lines.join() + JSON.stringify(answer)).not.toContain('horse')
})

test('whatever comes in, what goes out is nothing or JSON-RPC', async () => {
  const { dispatch } = setup()
  const request = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant('2.0'), fc.json()),
      id: fc.jsonValue(),
      method: fc.oneof(fc.constantFrom(...Object.keys(table)), fc.string()),
      params: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    request.map((value) => JSON.stringify(value)),
    fc.array(request, { maxLength: 6 }).map((value) => JSON.stringify(value)),
  )
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const answer = await dispatch(text, CALLER)
      if (answer.text === undefined) return
      const value: unknown = JSON.parse(jsonBytes(answer.text).toString())
      for (const item of Array.isArray(value) ? value : [value]) {
        expect(item).toMatchObject({ jsonrpc: '2.0' })
        expect(item).toHaveProperty('id')
        expect('result' in item).toBe(!('error' in item))
      }
    }),
    { numRuns: 500 },
  )
})
