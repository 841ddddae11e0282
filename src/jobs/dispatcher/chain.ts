/** What the dispatcher does on a chain, and with which keys. */
import { loadOrCreatePrivateKey } from '../../base/privateKey.ts'
import { connectChain, type EvmChain } from '../onchain/chain.ts'
import { receiptsContract, type ReceiptsContract } from '../registry/receipts.ts'
import type { Identity } from './key.ts'

export type ChainOptions = {
  /** Ethereum JSON-RPC. */
  readonly rpcUrl: string
  /** Consensus RPC, if the chain has one: the source of the signed headers that proofs of anchors lead to. */
  readonly consensusRpcUrl?: string | undefined
  /** File of the key of the anchoring account; created if missing, shared by all replicas. */
  readonly anchorKeyFile: string
  /** Interval between anchors; 0 disables anchoring. */
  readonly anchorIntervalMs: number
  /** Addresses of 20 bytes. */
  readonly receiptsContract: Uint8Array
  readonly registryContract: Uint8Array
  /** Whose list of models in which contract is followed; none if undefined. */
  readonly modelRegistry?:
    | { readonly contract: Uint8Array; readonly registrar: Uint8Array }
    | undefined
  /** Who may take jobs: every operator that proves a key, or registered ones only. */
  readonly operators: 'any' | 'registered'
}

export type DispatcherChain = {
  readonly options: ChainOptions
  readonly rpc: EvmChain
  /** Undefined when anchoring is disabled. */
  readonly receipts: ReceiptsContract | undefined
}

/** Connects to the chain; the signal aborts requests. Throws UserError on a bad key file. */
export function openDispatcherChain(
  options: ChainOptions,
  identity: Identity,
  signal: AbortSignal,
): DispatcherChain {
  const rpc = connectChain(options.rpcUrl, signal)
  if (options.anchorIntervalMs === 0) return { options, rpc, receipts: undefined }
  const anchor = loadOrCreatePrivateKey(
    options.anchorKeyFile,
    'Restore the key, or remove the file to get a new key, which then needs funds.',
  )
  const keys = { dispatcher: identity.privateKey, anchor }
  return {
    options,
    rpc,
    receipts: receiptsContract(rpc, options.receiptsContract, keys, signal),
  }
}
