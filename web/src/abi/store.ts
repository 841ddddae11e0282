/** ABIs of contracts: those that the user gave, kept in this browser, and those of the contracts of genesis. */
import { useSyncExternalStore } from 'react'
import { CONTRACTS } from './genesis.contracts'
import { parseAbi } from './parse.ts'
import type { AbiItem } from './types.ts'

const PREFIX = 'assay.abi.'
const MAX_CHARACTERS = 400_000

export type StoredAbi = {
  readonly items: readonly AbiItem[]
  /** `verified`: the contract's code was compiled from sources that came with it. `genesis`: it comes with the page. */
  readonly origin: 'given' | 'verified' | 'genesis'
  /** The name of the contract in its sources; '' when only an ABI was given. */
  readonly name: string
}

type Entry = { readonly abi: unknown; readonly isVerified?: boolean; readonly name?: string }

const listeners = new Set<() => void>()
const cache = new Map<string, { readonly text: string; readonly abi: StoredAbi }>()
const genesis = new Map<string, StoredAbi>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The ABI of a contract that every chain has. */
function genesisAbiOf(address: string): StoredAbi | undefined {
  const held = genesis.get(address)
  if (held !== undefined) return held
  const entry = Object.hasOwn(CONTRACTS, address) ? CONTRACTS[address] : undefined
  if (entry === undefined) return undefined
  const items = parseAbi(JSON.stringify(entry.abi))
  const abi = { items, origin: 'genesis', name: entry.name } as const
  genesis.set(address, abi)
  return abi
}

/** The ABI of a contract. */
export function abiOf(address: string): StoredAbi | undefined {
  const key = PREFIX + address.toLowerCase()
  const text = localStorage.getItem(key)
  if (text === null) return genesisAbiOf(address.toLowerCase())
  const held = cache.get(key)
  if (held?.text === text) return held.abi
  try {
    const entry = JSON.parse(text) as Entry
    const abi = {
      items: parseAbi(JSON.stringify(entry.abi)),
      origin: entry.isVerified === true ? 'verified' : 'given',
      name: entry.name ?? '',
    } as const
    cache.set(key, { text, abi })
    return abi
  } catch {
    return undefined
  }
}

/** The items alone, as the decoders take them. */
export function itemsOf(address: string): readonly AbiItem[] | undefined {
  return abiOf(address)?.items
}

/** The ABI of a contract; rerenders when it changes. */
export function useAbi(address: string): StoredAbi | undefined {
  return useSyncExternalStore(subscribe, () => abiOf(address))
}

/** Keeps an ABI. Throws AbiError when the string is not an ABI, RangeError when it is too long to be kept. */
export function keepAbi(
  address: string,
  text: string,
  facts: { readonly isVerified: boolean; readonly name: string },
): void {
  parseAbi(text)
  const json: unknown = JSON.parse(text)
  const abi = Array.isArray(json) ? (json as unknown) : (json as { readonly abi: unknown }).abi
  const entry = JSON.stringify({ abi, ...facts })
  if (entry.length > MAX_CHARACTERS) throw new RangeError('the ABI is too long to store')
  localStorage.setItem(PREFIX + address.toLowerCase(), entry)
  for (const listener of listeners) listener()
}

/** Deletes the ABI of a contract. */
export function forgetAbi(address: string): void {
  localStorage.removeItem(PREFIX + address.toLowerCase())
  for (const listener of listeners) listener()
}
