import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  CHAIN_HARDFORKS,
  GENESIS_HARDFORK,
  HARDFORKS,
  includesFork,
  LATEST_HARDFORK,
} from './rules.ts'

const read = (...parts: readonly string[]): string =>
  fs.readFileSync(path.join(import.meta.dirname, ...parts), 'utf8')

test('a fork includes itself and the older ones', () => {
  expect(includesFork({ hardfork: 'prague' }, 'prague')).toBe(true)
  expect(includesFork({ hardfork: 'prague' }, 'cancun')).toBe(true)
  expect(includesFork({ hardfork: 'prague' }, 'osaka')).toBe(false)
})

test('the core counts the forks as the host does', () => {
  const constants = read('core', 'forks.as.ts').matchAll(/^export const (\w+): u32 = (\d+)$/gm)
  const core = new Map([...constants].map(([, name = '', value]) => [name, Number(value)]))
  for (const [at, fork] of HARDFORKS.entries())
    expect(core.get(fork.toUpperCase()), `add ${fork} to src/evm/core/forks.as.ts`).toBe(at)
  for (const name of core.keys())
    expect(HARDFORKS, `add ${name.toLowerCase()} to src/evm/rules.ts`).toContain(name.toLowerCase())
})

test('the forks of a chain are the last ones', () => {
  expect(HARDFORKS.slice(-CHAIN_HARDFORKS.length)).toEqual(CHAIN_HARDFORKS)
  expect(HARDFORKS.at(-1)).toBe(LATEST_HARDFORK)
})

test('a genesis that names no fork begins with Osaka, whatever the program knows', () => {
  expect(GENESIS_HARDFORK).toBe('osaka')
})

test('docs/upgrades.md has every fork of a chain with the version that validators decide on', () => {
  const rows = read('..', '..', 'docs', 'upgrades.md').matchAll(/^\| (\w+) +\| (\d+) +\|/gm)
  const versions = new Map([...rows].map(([, name = '', version]) => [name, Number(version)]))
  for (const [at, fork] of CHAIN_HARDFORKS.entries()) {
    const name = `${fork[0]?.toUpperCase()}${fork.slice(1)}`
    expect(versions.get(name), `add ${name} to the table of docs/upgrades.md`).toBe(at + 1)
  }
})
