/** ABIs that the user gave for contracts, kept in this browser. */
import { useSyncExternalStore } from 'react'
import { parseAbi } from './parse.ts'
import type { AbiItem } from './types.ts'

const PREFIX = 'assay.abi.'
const MAX_CHARACTERS = 400_000

export type StoredAbi = {
  readonly items: readonly AbiItem[]
  /** Whether the contract's code was compiled from sources that came with it. */
  readonly isVerified: boolean
  /** The name of the contract in its sources; '' when only an ABI was given. */
  readonly name: string
}

type Entry = { readonly abi: unknown; readonly isVerified?: boolean; readonly name?: string }

const listeners = new Set<() => void>()
const cache = new Map<string, { readonly text: string; readonly abi: StoredAbi }>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The ABI of a contract. */
export function abiOf(address: string): StoredAbi | undefined {
  const key = PREFIX + address.toLowerCase()
  const text = localStorage.getItem(key)
  if (text === null) return undefined
  const held = cache.get(key)
  if (held?.text === text) return held.abi
  try {
    const entry = JSON.parse(text) as Entry
    const abi = {
      items: parseAbi(JSON.stringify(entry.abi)),
      isVerified: entry.isVerified === true,
      name: entry.name ?? '',
    }
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

/** The ABI of a contract, drawn anew when it changes. */
export function useAbi(address: string): StoredAbi | undefined {
  return useSyncExternalStore(subscribe, () => abiOf(address))
}

/** Keeps an ABI. Throws AbiError when the text is none, RangeError when it is too long to be kept. */
export function keepAbi(
  address: string,
  text: string,
  facts: { readonly isVerified: boolean; readonly name: string },
): void {
  parseAbi(text)
  const json: unknown = JSON.parse(text)
  const abi = Array.isArray(json) ? (json as unknown) : (json as { readonly abi: unknown }).abi
  const entry = JSON.stringify({ abi, ...facts })
  if (entry.length > MAX_CHARACTERS) throw new RangeError('the ABI is too long to be kept')
  localStorage.setItem(PREFIX + address.toLowerCase(), entry)
  for (const listener of listeners) listener()
}

/** Forgets the ABI of a contract. */
export function forgetAbi(address: string): void {
  localStorage.removeItem(PREFIX + address.toLowerCase())
  for (const listener of listeners) listener()
}
