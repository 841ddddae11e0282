/** An account that sends transactions one at a time, and waits for each. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { toHex, type Hex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { RpcAnswerError } from '../../proof/comet/json/answer.ts'
import type { EvmChain } from './chain.ts'
import { signLegacyTransaction, transactionHash } from './transaction.ts'

/** What to send; without `to`, it creates a contract. */
export type Sending = {
  readonly to?: Uint8Array
  readonly data: Uint8Array
  readonly value?: bigint
}

/** Outcome of a transaction. */
export type Sent = {
  readonly hash: Hex
  readonly blockNumber: number
  /** Address of the contract it created. */
  readonly contractAddress: string | undefined
}

/** A transaction was refused, or failed in its block. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError'
}

const POLL_MS = 100
/** Margin over the estimate, because the state may change until the block. */
const GAS_PERCENT = 130n
/** Margin over the current price, which may rise. */
const PRICE_PERCENT = 125n

const receipt = z
  .object({
    status: z.string(),
    blockNumber: z.string(),
    contractAddress: z.string().nullish(),
  })
  .nullable()

/**
 * Sends a transaction of the key's account and waits for its block. The nonce is that after the account's last included
 * transaction: of several that are sent concurrently, only one is ever included, and an earlier one is replaced if it
 * is still pending. Rejects with TransactionError, with ServerError or RpcAnswerError, and when the signal is aborted.
 */
export async function sendTransaction(
  chain: EvmChain,
  privateKey: Uint8Array,
  { to, data, value = 0n }: Sending,
  signal: AbortSignal,
): Promise<Sent> {
  const from = toHex(addressOfPrivateKey(privateKey))
  const call = {
    from,
    ...(to !== undefined && { to: toHex(to) }),
    data: toHex(data),
    value: `0x${value.toString(16)}`,
  }
  const [chainId, nonce, price, gas] = await Promise.all([
    chain.chainId(),
    chain.quantity('eth_getTransactionCount', [from, 'latest']),
    chain.quantity('eth_gasPrice'),
    estimate(chain, call),
  ])
  const raw = signLegacyTransaction(
    {
      chainId,
      nonce,
      gasPrice: (price * PRICE_PERCENT) / 100n,
      gasLimit: (gas * GAS_PERCENT) / 100n,
      ...(to !== undefined && { to }),
      value,
      data,
    },
    privateKey,
  )
  const hash = toHex(transactionHash(raw))
  try {
    await chain.ask('eth_sendRawTransaction', [toHex(raw)])
  } catch (error) {
    // It was sent before and is still pending.
    if (!(error instanceof RpcAnswerError && /already known/i.test(error.message))) throw error
  }
  return await included(chain, hash, signal)
}

async function estimate(chain: EvmChain, call: object): Promise<bigint> {
  try {
    return await chain.quantity('eth_estimateGas', [call])
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) throw error
    throw new TransactionError(`the chain rejected the transaction: ${error.message}`, {
      cause: error,
    })
  }
}

async function included(chain: EvmChain, hash: Hex, signal: AbortSignal): Promise<Sent> {
  for (;;) {
    const answer = receipt.parse(await chain.ask('eth_getTransactionReceipt', [hash]))
    if (answer !== null) {
      if (BigInt(answer.status) !== 1n)
        throw new TransactionError(`the transaction ${hash} failed in its block`)
      return {
        hash,
        blockNumber: Number(BigInt(answer.blockNumber)),
        contractAddress: answer.contractAddress ?? undefined,
      }
    }
    await sleep(POLL_MS, undefined, { signal })
  }
}
