/** Sends a transaction with a wallet: on this chain, or not at all. */
import type { Node } from '../net/context.ts'
import type { Provider } from './providers.ts'

export type Request = {
  /** The account that is to send it; if absent, whichever the wallet shows. */
  readonly from?: string
  readonly to?: string
  readonly data: string
  /** In the smallest unit. */
  readonly value: bigint
}

const UNKNOWN_CHAIN = 4902

/** The wallet refused, or is on another chain. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

function explain(error: unknown): WalletError {
  if (codeOf(error) === 4001) return new WalletError('You rejected it in the wallet.')
  const text =
    typeof error === 'object' && error !== null && 'message' in error
      ? String(error.message)
      : String(error)
  return new WalletError(text.slice(0, 300), { cause: error })
}

async function propose(provider: Provider, chainId: string, node: Node): Promise<void> {
  const chain = {
    chainId,
    chainName: 'Assay',
    nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
    rpcUrls: [`${node.endpoints.rpc}/ethereum`],
    // Wallets open /address, /tx, /block and /token below it (EIP-3091).
    blockExplorerUrls: [location.origin],
  }
  await provider.request({ method: 'wallet_addEthereumChain', params: [chain] })
}

/** Proposes this chain to a wallet, with this page as its explorer. Rejects with WalletError. */
export async function addChain(provider: Provider, node: Node): Promise<void> {
  try {
    await propose(provider, String(await node.ethereum('eth_chainId')), node)
  } catch (error) {
    throw explain(error)
  }
}

async function toChain(provider: Provider, chainId: string, node: Node): Promise<void> {
  if ((await provider.request({ method: 'eth_chainId' })) === chainId) return
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw error
    await propose(provider, chainId, node)
  }
  if ((await provider.request({ method: 'eth_chainId' })) !== chainId)
    throw new WalletError('The wallet is on a different chain.')
}

/** The account that the wallet shows to this page; asks for it where it was not shown before. Rejects with WalletError. */
export async function accountOf(provider: Provider): Promise<string> {
  try {
    const accounts = await provider.request({ method: 'eth_requestAccounts' })
    const account = Array.isArray(accounts) ? String(accounts[0]) : ''
    if (!/^0x[0-9a-fA-F]{40}$/.test(account))
      throw new WalletError('The wallet exposes no account.')
    return account.toLowerCase()
  } catch (error) {
    throw error instanceof WalletError ? error : explain(error)
  }
}

/** The hash of the transaction, once the wallet has sent it. Rejects with WalletError. */
export async function sendWith(provider: Provider, node: Node, request: Request): Promise<string> {
  try {
    const from = await accountOf(provider)
    if (request.from !== undefined && request.from !== from)
      throw new WalletError('The wallet now exposes a different account: connect again.')
    await toChain(provider, String(await node.ethereum('eth_chainId')), node)
    const { to, data, value } = request
    const transaction = {
      from,
      data,
      value: `0x${value.toString(16)}`,
      ...(to === undefined ? {} : { to }),
    }
    return String(await provider.request({ method: 'eth_sendTransaction', params: [transaction] }))
  } catch (error) {
    throw error instanceof WalletError ? error : explain(error)
  }
}
