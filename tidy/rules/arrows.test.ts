import { describe, expect, test } from 'vitest'
import { planted, type Rule } from '../planted.ts'
import { arrowFaults } from './arrows.ts'

const rule: Rule = (modules, checkout) => arrowFaults(checkout, modules)

const violations = [
  ['src/base/planted.ts', '../explorer/assets.ts'],
  ['src/base/planted.ts', '../client/methods.ts'],
  ['src/client/planted.ts', '../ledger/store.ts'],
  ['src/client/planted.ts', '../node/node.ts'],
  ['src/chain/planted.ts', './../node/node.ts'],
  ['src/chain/planted.ts', '../../src/rpc/table.ts'],
  ['src/chain/planted.ts', 'lmdb'],
  ['src/chain/planted.ts', '../store/kv.ts'],
  ['src/chain/planted.ts', '../ledger/store.ts'],
  ['src/ledger/planted.ts', '../consensus/application.ts'],
  ['src/jobs/planted.ts', '../chain/transaction.ts'],
  ['src/base/planted.ts', '../../test/support/say.ts'],
  ['src/base/planted.ts', '../../dist/chain/genesis.js'],
  ['src/evm/core/planted.as.ts', '../../ledger/tables'],
  ['src/evm/planted.ts', 'fs'],
  // Holds D37.
  ['src/rpc/planted.ts', 'fastify'],
  ['src/evm/planted.ts', 'assay/client'],
  ['src/evm/planted.ts', '/etc/hostname'],
  ['src/evm/planted.ts', 'data:text/javascript,export const a = 1'],
  ['web/src/planted.tsx', '../../src/chain/genesis.ts'],
  ['src/rpc/planted.test.ts', '../cli/program.ts'],
] as const

describe.each(violations)('%s importing %s', (file, specifier) => {
  test.each([
    ['a value', `import { a } from '${specifier}'\nexport const b = a\n`],
    ['a type', `import type { A } from '${specifier}'\nexport type B = A\n`],
    ['a re-export', `export { a } from '${specifier}'\n`],
    ['everything', `export * from '${specifier}'\n`],
    ['side effects', `import '${specifier}'\n`],
    ['dynamically', `export const a = await import('${specifier}')\n`],
  ])('is found: %s', (_form, text) => {
    const found = planted(rule, { [file]: text })
    // Packages of tests are whatever is installed.
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(file)
  })
})

test('a file that is named by its address counts as imported', () => {
  const text = `export const file = new URL('../node/node.ts', import.meta.url)\n`
  expect(planted(rule, { 'src/base/planted.ts': text })).toHaveLength(1)
})

test('an import that is computed is found', () => {
  const text = 'export const load = (name: string) => import(`../${name}.ts`)\n'
  expect(planted(rule, { 'src/base/planted.ts': text })).toHaveLength(1)
})

test('an import of a file that is not there is found', () => {
  const text = `import { a } from './nowhere.ts'\nexport const b = a\n`
  expect(planted(rule, { 'src/base/planted.ts': text })[0]).toContain('not there')
})

test('what a room may import is no fault', () => {
  const text = [
    `import { toHex } from '../base/hex.ts'`,
    `import type { ChainReader } from './../chain/reader.ts'`,
    `import { keccak_256 } from '@noble/hashes/sha3.js'`,
    `export const a = [toHex, keccak_256]`,
    `export type B = ChainReader`,
    '',
  ].join('\n')
  expect(planted(rule, { 'src/ledger/planted.ts': text })).toEqual([])
})
