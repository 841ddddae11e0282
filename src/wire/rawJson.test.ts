import { expect, test } from 'vitest'
import { isRawJson, joinJson, jsonBytes, rawJson } from './rawJson.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

test('raw JSON is its value wherever it becomes part of something else', () => {
  const raw = rawJson([bytes('{"a":[1,'), bytes('2]}')])
  expect(raw.length).toBe(11)
  expect(JSON.parse(JSON.stringify({ inner: raw }))).toEqual({ inner: { a: [1, 2] } })
})

test('what is short becomes one text, what is long stays in pieces', () => {
  const long = bytes(JSON.stringify('x'.repeat(100_000)))
  expect(joinJson(['[', rawJson([bytes('1')]), ',"é"]'])).toBe('[1,"é"]')
  const joined = joinJson(['["é",', rawJson([long]), ']'])
  expect(isRawJson(joined) && joined.pieces.includes(long)).toBe(true)
  expect(jsonBytes(joined).toString()).toBe(`["é",${Buffer.from(long).toString()}]`)
  expect(joined.length).toBe(jsonBytes(joined).length)
})

test('nothing that a client can send is taken for raw JSON', () => {
  for (const value of [null, 1, 'x', {}, [], JSON.parse('{"pieces":[],"length":0}')])
    expect(isRawJson(value)).toBe(false)
})
