/** A stored chain for listings of state: a contract whose slots change with each block, and accounts that come and go. */
import { concatBytes } from '../../src/base/bytes.ts'
import { fromHex } from '../../src/base/hex.ts'
import { defaultAppState } from '../../src/chain/defaultGenesis.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import { contractAddress } from '../../src/evm/contractAddress.ts'
import { createMemoryPool } from './memoryPool.ts'
import { ALICE, ALICE_KEY, nodeOver } from './rpcNode.ts'
import { createChainOf } from './storedChain.ts'

/** Stores the second word of its call data in the slot that the first one names. */
export const SETTER = contractAddress(ALICE, 0n)
const SETTER_CODE = fromHex('0x6020355f355500')
// CODECOPY of the seven bytes after these twelve, and RETURN of them.
const SETTER_INIT = concatBytes(fromHex('0x6007600c5f3960075ff30000'), SETTER_CODE)

/** A transaction of Alice to a contract. */
export function byAlice(nonce: number, to: Uint8Array | undefined, data: Uint8Array): Transaction {
  const common = { accessList: [], authorizationList: [], chainId: 271_828n, value: 0n }
  const price = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
  const fields = { ...common, ...price, type: 2, nonce: BigInt(nonce) } as const
  return signTransaction({ ...fields, to, data, gasLimit: 200_000n }, ALICE_KEY)
}

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(28, value)
  return bytes
}

/**
 * Block 1 makes SETTER. Block 2 sets its slots 1 to 5, in transactions of their own, to ten times their number. Block 3
 * zeroes slot 2, changes slot 3 to 33 and sends to a new account.
 */
export async function createListedChain() {
  // Without stake, nothing comes after the last transaction of a block.
  const chain = createChainOf({
    chainId: 'assay_271828-1',
    appState: defaultAppState({
      accounts: [{ address: ALICE, balance: 10n ** 21n }],
      validators: [],
    }),
    timeNs: 1_700_000_000_000_000_000n,
    intervalNs: 1_000_000_000n,
  })
  let nonce = 0
  const set = (slot: number, value: number) => byAlice(nonce++, SETTER, setData(slot, value))
  await chain.mine(byAlice(nonce++, undefined, SETTER_INIT))
  await chain.mine(...[1, 2, 3, 4, 5].map((slot) => set(slot, 10 * slot)))
  await chain.mine(set(2, 0), set(3, 33), byAlice(nonce++, NEWCOMER, new Uint8Array(0)), set(7, 7))
  const node = nodeOver(chain.reader, createMemoryPool(271_828n), { rules: chain.rules })
  return { chain, node }
}

/** First called in block 3. */
export const NEWCOMER = new Uint8Array(20).fill(0x5e)

/** Call data that sets a slot of SETTER. */
export function setData(slot: number, value: number): Uint8Array {
  return concatBytes(word(slot), word(value))
}

/** A slot number or value on the wire. */
export function wordHex(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
