/** What the dispatcher does on a chain, and by which keys. */
import { loadOrCreatePrivateKey } from '../../base/privateKey.ts'
import { connectChain, type EvmChain } from '../onchain/chain.ts'
import { receiptsContract, type ReceiptsContract } from '../registry/receipts.ts'
import type { Identity } from './key.ts'

export type ChainOptions = {
  /** Ethereum JSON-RPC. */
  readonly rpcUrl: string
  /** Consensus RPC, where the chain has one: it gives the signed headers that proofs of anchors end at. */
  readonly consensusRpcUrl?: string | undefined
  /** File of the key whose account anchors; made when missing, shared by all replicas. */
  readonly anchorKeyFile: string
  /** How often receipts are anchored; 0 never. */
  readonly anchorIntervalMs: number
  /** Addresses of 20 bytes. */
  readonly receiptsContract: Uint8Array
  readonly registryContract: Uint8Array
  /** Who may take jobs: anybody who proves a key, or only who is registered. */
  readonly operators: 'any' | 'registered'
}

export type DispatcherChain = {
  readonly options: ChainOptions
  readonly rpc: EvmChain
  /** Undefined where nothing is anchored. */
  readonly receipts: ReceiptsContract | undefined
}

/** Connects to the chain; requests end with the signal. Throws UserError on a bad key file. */
export function openDispatcherChain(
  options: ChainOptions,
  identity: Identity,
  signal: AbortSignal,
): DispatcherChain {
  const rpc = connectChain(options.rpcUrl, signal)
  if (options.anchorIntervalMs === 0) return { options, rpc, receipts: undefined }
  const anchor = loadOrCreatePrivateKey(
    options.anchorKeyFile,
    'Put the key back, or remove the file to get a new key, which then needs coins.',
  )
  const keys = { dispatcher: identity.privateKey, anchor }
  return {
    options,
    rpc,
    receipts: receiptsContract(rpc, options.receiptsContract, keys, signal),
  }
}
