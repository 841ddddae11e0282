/** The wallet and the account that the user connected, for every part of the page, until it is reloaded. */
import { useSyncExternalStore } from 'react'
import type { Wallet } from './providers.ts'
import { accountOf } from './send.ts'

export type Connection = {
  readonly wallet: Wallet
  /** In lower case. */
  readonly account: string
}

let connection: Connection | undefined
const listeners = new Set<() => void>()

function change(next: Connection | undefined): void {
  connection = next
  for (const listener of listeners) listener()
}

/** Asks the wallet for an account. Rejects with WalletError. */
export async function connect(wallet: Wallet): Promise<void> {
  const account = await accountOf(wallet.provider)
  change({ wallet, account })
  // EIP-1193: not every wallet has events.
  wallet.provider.on?.('accountsChanged', (accounts) => {
    if (connection?.wallet !== wallet) return
    const [next] = Array.isArray(accounts) ? accounts : []
    change(typeof next === 'string' ? { wallet, account: next.toLowerCase() } : undefined)
  })
}

/** Forgets the account here; the wallet itself is asked nothing. */
export function disconnect(): void {
  change(undefined)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The connection; undefined where there is none. */
export function useConnection(): Connection | undefined {
  return useSyncExternalStore(subscribe, () => connection)
}
