/** Wallets of the browser: those that announce themselves (EIP-6963), and the one that older pages know (EIP-1193). */
import { useSyncExternalStore } from 'react'

/** EIP-1193. */
export type Provider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'accountsChanged', listener: (accounts: unknown) => void): void
}

export type Wallet = { readonly id: string; readonly name: string; readonly provider: Provider }

type Announcement = {
  readonly info?: { readonly uuid?: unknown; readonly name?: unknown }
  readonly provider?: Provider
}

const LONGEST_NAME = 60
let wallets: readonly Wallet[] = []
const listeners = new Set<() => void>()

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function announce(event: Event): void {
  const { info, provider } = (event as CustomEvent<Announcement | null>).detail ?? {}
  if (typeof provider?.request !== 'function') return
  const id = textOf(info?.uuid, '')
  if (wallets.some((wallet) => wallet.id === id)) return
  const name = textOf(info?.name, 'Wallet').slice(0, LONGEST_NAME)
  wallets = [...wallets, { id, name, provider }]
  for (const listener of listeners) listener()
}

let isListening = false

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!isListening) {
    isListening = true
    window.addEventListener('eip6963:announceProvider', announce)
    const { ethereum } = window as { readonly ethereum?: Provider }
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    if (ethereum !== undefined && wallets.length === 0)
      wallets = [{ id: 'window.ethereum', name: 'Browser wallet', provider: ethereum }]
  }
  return () => listeners.delete(listener)
}

/** The available wallets. */
export function useWallets(): readonly Wallet[] {
  return useSyncExternalStore(subscribe, () => wallets)
}
