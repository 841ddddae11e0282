import { describe, expect, test } from 'vitest'
import { planted, type Rule } from '../planted.ts'
import { machineFaults } from './machine.ts'

const rule: Rule = (modules) => machineFaults(modules)

const violations = [
  ['src/rpc/planted.ts', 'process.env'],
  ['src/rpc/planted.ts', 'process["env"]'],
  ['src/rpc/planted.ts', 'globalThis.process.env'],
  ['src/rpc/planted.ts', 'Date.now()'],
  ['src/rpc/planted.ts', 'new Date()'],
  ['src/rpc/planted.ts', 'Math.random()'],
  ['src/rpc/planted.ts', 'Math["random"]()'],
  ['src/chain/planted.ts', 'Date.now()'],
  ['src/chain/planted.ts', 'performance.now()'],
  ['src/chain/planted.ts', 'crypto.getRandomValues(new Uint8Array(1))'],
  ['src/evm/planted.ts', 'fetch("http://127.0.0.1")'],
  ['src/ledger/planted.ts', 'setTimeout(() => {}, 1)'],
  ['src/proof/planted.ts', 'Buffer.from("")'],
  ['src/proof/planted.ts', '{ console }'],
  ['src/jobs/planted.ts', 'Math.random()'],
  ['src/client/planted.ts', 'setTimeout(() => {}, 1)'],
  ['src/proof/planted.ts', '(globalThis as object)'],
  ['src/proof/planted.ts', '(b = globalThis.fetch) => b'],
  ['src/proof/planted.ts', '({ b = Date.now() }) => b'],
] as const

test.each(violations)('%s using %s is found', (file, expression) => {
  const found = planted(rule, { [file]: `export const a = ${expression}\n` })
  expect(found.length).toBeGreaterThan(0)
  expect(found[0]).toContain(`${file}:1 `)
})

test.each([
  ['src/chain/planted.ts', 'node:path'],
  ['src/ledger/planted.ts', 'node:fs'],
  ['src/rpc/planted.ts', 'node:os'],
  ['src/rpc/planted.ts', 'node:process'],
  ['src/rpc/planted.ts', 'node:child_process'],
  ['src/config/planted.ts', 'node:net'],
  ['src/evm/planted.ts', 'node:crypto'],
  ['src/client/planted.ts', 'node:module'],
])('%s importing %s is found', (file, specifier) => {
  const text = `import * as a from '${specifier}'\nexport const b = a\n`
  expect(planted(rule, { [file]: text })).toHaveLength(1)
})

test('the clock of base/ is a clock', () => {
  const text = `import { systemClock } from '../base/clock.ts'\nexport const a = systemClock.now()\n`
  expect(planted(rule, { 'src/rpc/planted.ts': text })).toHaveLength(1)
})

describe('a deterministic room', () => {
  test('may not reach a clock through another file either', () => {
    const found = planted(rule, {
      'src/base/plantedTime.ts': 'export const now = () => Date.now()\n',
      'src/base/planted.ts': `export { now } from './plantedTime.ts'\n`,
      'src/chain/planted.ts': `import { now } from '../base/planted.ts'\nexport const a = now()\n`,
    })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain('src/base/plantedTime.ts:1')
  })

  test('may import types of such a file', () => {
    const found = planted(rule, {
      'src/base/planted.ts': 'export type Now = bigint\nexport const now = () => Date.now()\n',
      'src/chain/planted.ts': `import type { Now } from '../base/planted.ts'\nexport type A = Now\n`,
    })
    expect(found).toEqual([])
  })
})

test.each([
  ['a parameter', 'export const a = (fetch: () => void) => fetch()'],
  ['a property', 'export const a = (b: { process: number; Date: { now: number } }) => b.process'],
  ['a key', 'export const a = { process: 1, console: 2 }'],
  ['a shorthand of a variable', 'const console = 1\nexport const a = { console }'],
  ['a text', `export const a = 'Date.now() and process.env'`],
  ['a date that is given', 'export const a = (ms: number) => new Date(ms)'],
  ['a type', 'export type A = (worker: Worker) => Buffer'],
])('a name that means something else is no fault: %s', (_what, text) => {
  expect(planted(rule, { 'src/chain/planted.ts': `${text}\n` })).toEqual([])
})
