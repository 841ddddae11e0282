/** Dispatchers that the user of this browser trusts: what they sign counts as signed (D66). */
import { useSyncExternalStore } from 'react'

const KEY = 'assay.dispatchers'
const MOST = 50
const ADDRESS = /^0x[0-9a-f]{40}$/

const listeners = new Set<() => void>()
const NONE: readonly string[] = []
let cache: { readonly text: string; readonly list: readonly string[] } | undefined

function listOf(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list)
      ? list
          .filter((each): each is string => typeof each === 'string' && ADDRESS.test(each))
          .slice(0, MOST)
      : NONE
  } catch {
    return NONE
  }
}

/** Lower-case addresses, the latest first. */
export function trustedDispatchers(): readonly string[] {
  const text = localStorage.getItem(KEY) ?? '[]'
  if (cache?.text !== text) cache = { text, list: listOf(text) }
  return cache.list
}

/** Trusts one from now on, or no longer. Addresses are lower-case; anything else is left out. */
export function trustDispatcher(address: string, isTrusted: boolean): void {
  const others = trustedDispatchers().filter((each) => each !== address)
  const list = isTrusted && ADDRESS.test(address) ? [address, ...others] : others
  localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)))
  for (const listener of listeners) listener()
}

/** The list, for what is drawn. */
export function useTrustedDispatchers(): readonly string[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, trustedDispatchers)
}
