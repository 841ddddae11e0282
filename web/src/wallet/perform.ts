/** Something that an account does at a contract: tried first, signed by the wallet, and awaited. */
import { refusal } from '../contract/refusal.ts'
import { toQuantity } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { RpcError } from '../net/jsonRpc.ts'
import type { Connection } from './connection.ts'
import { sendWith } from './send.ts'

/** A call that changes something. */
export type Deed = {
  readonly to: string
  readonly data: string
  /** In the smallest unit. */
  readonly value: bigint
}

/** How far it is. */
export type Progress =
  | { readonly step: 'checking' | 'signing' }
  | { readonly step: 'sent'; readonly hash: string }
  | { readonly step: 'done'; readonly hash: string; readonly height: number }

/** The contract refuses it, or did when its turn came. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

const POLL_MS = 300
const LONGEST_MS = 120_000

type Receipt = { readonly status: string; readonly blockNumber: string }

/** Executes it without consequences, so that what is refused costs nothing. Rejects with Refused. */
async function attempt({ ethereum }: Node, account: string, deed: Deed): Promise<void> {
  const call = { from: account, to: deed.to, data: deed.data, value: toQuantity(deed.value) }
  try {
    await ethereum('eth_call', [call, 'latest'])
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const data = typeof error.data === 'string' ? error.data : '0x'
    throw new Refused(refusal(deed.to, data, error.message), { cause: error })
  }
}

async function receiptOf({ ethereum }: Node, hash: string): Promise<Receipt> {
  const end = Date.now() + LONGEST_MS
  while (Date.now() < end) {
    const receipt = (await ethereum('eth_getTransactionReceipt', [hash])) as Receipt | null
    if (receipt !== null) return receipt
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Refused('The transaction is not in a block yet. It may still be included.')
}

/** Does it. Rejects with Refused or WalletError, whose messages are for people. */
export async function perform(
  node: Node,
  { wallet, account }: Connection,
  deed: Deed,
  report: (progress: Progress) => void,
): Promise<void> {
  report({ step: 'checking' })
  await attempt(node, account, deed)
  report({ step: 'signing' })
  const hash = await sendWith(wallet.provider, node, { ...deed, from: account })
  report({ step: 'sent', hash })
  const { status, blockNumber } = await receiptOf(node, hash)
  if (status !== '0x1')
    throw new Refused('The transaction reverted: the state had changed in the meantime.')
  report({ step: 'done', hash, height: Number(blockNumber) })
}
