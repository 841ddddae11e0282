/** go-ethereum's transcripts of JSON-RPC corner cases, against our dispatcher with the same test methods mounted. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createDispatch, type MethodTable } from '../../src/wire/dispatch.ts'
import { method, type Result } from '../../src/wire/method.ts'
import { jsonBytes } from '../../src/wire/rawJson.ts'
import { vectorFiles } from '../support/vectors.ts'

const anything: Result<unknown> = { schema: z.unknown(), encode: (value) => value }

const echo = method({
  summary: '',
  params: { text: z.string(), count: z.int(), extra: z.object({ S: z.string() }).optional() },
  result: anything,
  handler: (_: object, { text, count, extra }) => ({
    String: text,
    Int: count,
    Args: extra ?? null,
  }),
})

function failing(message: string) {
  return method({
    summary: '',
    params: {},
    result: anything,
    handler: () => {
      throw new Error(message)
    },
  })
}

const table: MethodTable<object> = {
  test_echo: echo,
  test_echoWithCtx: echo,
  test_noArgsRets: method({
    summary: '',
    params: {},
    result: anything,
    handler: () => undefined,
  }),
  test_marshalError: failing('marshal error'),
  test_panic: failing('panic'),
}

const dispatch = createDispatch({
  table,
  world: {},
  batchLimit: 4,
  batchResponseLimit: 1_000_000,
  log: pino({ level: 'silent' }),
})

type Exchange = { readonly request: string; readonly answers: string[] }

function readTranscript(text: string): Exchange[] {
  const exchanges: Exchange[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('-->')) exchanges.push({ request: line.slice(3).trim(), answers: [] })
    if (line.startsWith('<--')) exchanges.at(-1)?.answers.push(line.slice(3).trim())
  }
  return exchanges
}

/** The one answer of theirs that quotes the inside of the server; ours never does. */
const INTERNAL = /"json: error calling [^"]*"/

const cases = vectorFiles('json-rpc-envelope', '.js').flatMap(({ name, content }) =>
  readTranscript(content.toString()).map((exchange) => ({ name, ...exchange })),
)
if (cases.length > 0) console.log(`JSON-RPC envelope: ${cases.length} exchanges`)

test.each(cases)('$name: $request', async ({ request, answers }) => {
  const { text } = await dispatch(request, {
    transport: 'websocket',
    authorized: false,
    principal: undefined,
    client: 'test',
    profile: 'spec',
    connection: undefined,
  })
  const [expected] = answers.map((answer) => answer.replace(INTERNAL, '"method handler crashed"'))
  expect(text && JSON.parse(jsonBytes(text).toString())).toEqual(expected && JSON.parse(expected))
})
