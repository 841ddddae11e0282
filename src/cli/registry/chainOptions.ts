/** Options of commands that read from an EVM chain, or send a transaction to it. */
import { Option, type Command } from 'commander'
import fs from 'node:fs'
import { UserError } from '../../base/errors.ts'
import { isPrivateKey } from '../../base/secp256k1.ts'
import { tryFromAnyHex } from '../../base/hex.ts'
import { REGISTRY_ADDRESS } from '../../config/contracts.ts'
import { address } from '../../config/hexTypes.ts'
import { httpUrl } from '../../config/url.ts'
import type { EvmChain } from '../../jobs/onchain/chain.ts'
import { readOption } from '../options.ts'

/** Timeout for a transaction to be included in a block. */
const PATIENCE_MS = 120_000

/** Adds `--rpc-url`. */
export function addChainOption(command: Command): Command {
  return command.option(
    '--rpc-url <url>',
    'Ethereum JSON-RPC of the chain',
    'http://127.0.0.1:8545',
  )
}

/** Adds `--contract`, with the registry of our own chains as its default. */
export function addRegistryOption(command: Command): Command {
  return command.addOption(
    new Option('--contract <address>', 'address of the OperatorRegistry contract').default(
      REGISTRY_ADDRESS,
      'the one in the Assay genesis',
    ),
  )
}

/** The address of `--contract`. Throws UserError. */
export function registryOf({ contract }: { readonly contract: string }): Uint8Array {
  return readOption('--contract', address, contract)
}

/** The chain at `--rpc-url`, and the signal that ends waiting for it. Throws UserError. */
export async function chainOf({ rpcUrl }: { readonly rpcUrl: string }): Promise<{
  readonly chain: EvmChain
  readonly signal: AbortSignal
}> {
  const { connectChain } = await import('../../jobs/onchain/chain.ts')
  const signal = AbortSignal.timeout(PATIENCE_MS)
  return { chain: connectChain(readOption('--rpc-url', httpUrl, rpcUrl), signal), signal }
}

/** The private key of a file of 64 hex digits. Throws UserError; the message never contains the key. */
export function keyOfFile(file: string): Uint8Array {
  if (!fs.existsSync(file)) throw new UserError(`${file} does not exist`)
  const key = tryFromAnyHex(fs.readFileSync(file, 'utf8').trim())
  if (key !== undefined && isPrivateKey(key)) return key
  throw new UserError(`${file} does not contain a private key of 64 hex digits`)
}

/** Converts an error of the network to an error for the user. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  const { TransactionError } = await import('../../jobs/onchain/account.ts')
  const { ServerError } = await import('../../jobs/onchain/jsonRpc.ts')
  const { RpcAnswerError } = await import('../../proof/comet/json/answer.ts')
  try {
    return await work()
  } catch (error) {
    if (
      error instanceof TransactionError ||
      error instanceof ServerError ||
      error instanceof RpcAnswerError ||
      error instanceof RangeError
    )
      throw new UserError(error.message)
    throw error
  }
}
