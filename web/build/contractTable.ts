/** Makes a table of the ABIs of contracts that a chain has from genesis on, under their addresses. */
import fs from 'node:fs'
import type { Plugin } from 'vite'
import * as generated from '../../src/generated/contracts.ts'

const SUFFIX = '.contracts'

type Entry = { readonly name: string; readonly abi: unknown }

/** Reads lines of an address and the name of a contract. Throws when the build made no contract of that name. */
export function contractsOf(text: string): Readonly<Record<string, Entry>> {
  const made = new Map<string, { readonly abi: unknown }>(Object.entries(generated))
  const table: Record<string, Entry> = {}
  for (const line of text.split('\n')) {
    const [address = '', name = ''] = line.trim().split(/\s+/)
    if (address === '' || address.startsWith('#')) continue
    const contract = made.get(name)
    if (contract === undefined) throw new Error(`contracts/ holds no ${name}`)
    table[address] = { name, abi: contract.abi }
  }
  return table
}

/** What the compiler calls types is longer than the rest, and the page reads none of it. */
function withoutInternalTypes(key: string, value: unknown): unknown {
  return key === 'internalType' ? undefined : value
}

/** The plugin: importing a file of that suffix gives its table. */
export function contractTable(): Plugin {
  return {
    name: 'contract-table',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(SUFFIX)) return undefined
      const table = JSON.stringify(contractsOf(fs.readFileSync(id, 'utf8')), withoutInternalTypes)
      return { code: `export const CONTRACTS = ${table}`, moduleType: 'js' }
    },
  }
}
