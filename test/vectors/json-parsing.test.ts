/** JSONTestSuite as bodies of requests: y_ must parse, n_ must not, i_ may do either; the answer is always JSON-RPC. */
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { parseBounded } from '../../src/base/jsonBudget.ts'
import { textOf } from '../../src/wire/body.ts'
import { createDispatch } from '../../src/wire/dispatch.ts'
import { jsonBytes } from '../../src/wire/rawJson.ts'
import { vectorFiles } from '../support/vectors.ts'

const PARSE_ERROR = -32700

const files = vectorFiles('json-parsing', '.json')
if (files.length > 0) console.log(`JSON parsing: ${files.length} cases`)

const dispatch = createDispatch({
  table: {},
  world: {},
  batchLimit: 100,
  batchResponseLimit: 1_000_000,
  log: pino({ level: 'silent' }),
})

function parses(text: string | undefined): boolean {
  if (text === undefined) return false
  try {
    parseBounded(text)
    return true
  } catch {
    return false
  }
}

test.each(files)('$name', async ({ name, content }) => {
  const text = textOf(content)
  if (name.startsWith('y_')) expect(parses(text)).toBe(true)
  if (name.startsWith('n_')) expect(parses(text)).toBe(false)
  const answer = await dispatch(text ?? '', {
    transport: 'http',
    authorized: false,
    principal: undefined,
    client: 'test',
    profile: 'spec',
    connection: undefined,
  })
  const value: unknown = JSON.parse(jsonBytes(answer.text ?? '').toString())
  const [first] = Array.isArray(value) ? (value as unknown[]) : [value]
  expect(first).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  expect((first as { error: { code: number } }).error.code === PARSE_ERROR).toBe(!parses(text))
})
