import { expect, test } from 'vitest'
import { planted, type Rule } from '../planted.ts'
import { parsingFaults } from './parsing.ts'

const rule: Rule = (modules) => parsingFaults(modules)

test.each([
  ['src/wire/planted.ts', 'JSON.parse("1")'],
  ['src/rpc/planted.ts', '["1"].map(JSON.parse)'],
  ['src/jobs/planted.ts', 'JSON["parse"]("1")'],
  ['src/consensusRpc/planted.ts', '() => JSON.parse("1")'],
])('%s using %s is found', (file, expression) => {
  const found = planted(rule, { [file]: `export const a = ${expression}\n` })
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(`${file}:1 `)
})

test.each([
  ['src/cli/planted.ts', 'JSON.parse("1")'],
  ['src/wire/planted.test.ts', 'JSON.parse("1")'],
  ['src/wire/planted.ts', 'JSON.stringify(1)'],
  ['src/wire/planted.ts', '"JSON.parse"'],
])('%s may say %s', (file, expression) => {
  expect(planted(rule, { [file]: `export const a = ${expression}\n` })).toEqual([])
})
