/** Transactions for a node that will be killed: transfers, and contracts that write storage and logs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { developmentKeys } from '../../src/accounts/development.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import { rpc } from '../support/assay.ts'
import type { Witness } from './witness.ts'

const CHAIN_ID = 271_828n
const GWEI = 1_000_000_000n
const SENDERS = 3
const BURST = 8

/** NUMBER NUMBER SSTORE, PUSH0 PUSH0 LOG0: run as init code, it leaves a slot and a log. */
const WRITER = fromHex('0x4343555f5fa000')

function signed(key: Uint8Array, nonce: bigint): { readonly raw: string; readonly hash: string } {
  const isWriter = nonce % 2n === 1n
  const { raw, hash } = signTransaction(
    {
      type: 2,
      chainId: CHAIN_ID,
      nonce,
      maxFeePerGas: 1000n * GWEI,
      maxPriorityFeePerGas: GWEI,
      gasLimit: isWriter ? 120_000n : 21_000n,
      to: isWriter ? undefined : new Uint8Array(20).fill(Number(nonce % 200n) + 1),
      value: isWriter ? 0n : 1n,
      data: isWriter ? WRITER : new Uint8Array(0),
      accessList: [],
      authorizationList: [],
    },
    key,
  )
  return { raw: toHex(raw), hash: toHex(hash) }
}

async function sendBursts(url: string, key: Uint8Array, witness: Witness, stop: AbortSignal) {
  const address = toHex(addressOfPrivateKey(key))
  while (!stop.aborted) {
    const { result } = await rpc(url, 'eth_getTransactionCount', [address, 'latest'])
    const first = BigInt(result as string)
    const batch = Array.from({ length: BURST }, (_, i) => signed(key, first + BigInt(i)))
    for (const { raw } of batch) await rpc(url, 'eth_sendRawTransaction', [raw])
    for (const { hash } of batch)
      while (!stop.aborted) {
        const answer = await rpc(url, 'eth_getTransactionReceipt', [hash])
        if (answer.result) {
          witness.receipt(hash, JSON.stringify(answer.result))
          break
        }
        await sleep(5)
      }
  }
}

async function watchBlocks(comet: string, witness: Witness, stop: AbortSignal) {
  while (!stop.aborted) {
    await witness.watch(comet)
    await sleep(10)
  }
}

/** Loads a node until it is gone or `stop` says so. What it answers goes to the witness. */
export async function loadNode(
  urls: { readonly rpc: string; readonly comet: string },
  witness: Witness,
  stop: AbortSignal,
): Promise<void> {
  const loops = [
    ...developmentKeys()
      .slice(0, SENDERS)
      .map((key) => sendBursts(urls.rpc, key, witness, stop)),
    watchBlocks(urls.comet, witness, stop),
  ]
  // A node that was killed in the middle of a request leaves an error, which says nothing more.
  await Promise.allSettled(loops)
}
