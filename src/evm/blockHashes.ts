/** EIP-2935: the hashes of the last blocks are kept in contract storage, where BLOCKHASH reads them too (D51). */
import { bigintToFixedBytes } from '../base/bytes.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import type { Effects, StateView } from './types.ts'

/** The history contract. */
export const HISTORY_ADDRESS: Uint8Array = fromHex('0x0000f90827f1c53a10cb7a02335b175320002935')

const WINDOW = 8191

function slotOf(height: number): Uint8Array {
  return bigintToFixedBytes(BigInt(height % WINDOW), 32)
}

/** The 32-byte hash of one of the last 8191 blocks from the state; zeros if it is not there. */
export function storedBlockHash(state: Pick<StateView, 'storage'>, height: number): Uint8Array {
  return state.storage(HISTORY_ADDRESS, slotOf(height))
}

/** The first write of a block: its parent's hash. Nothing on a chain without the history contract. */
export function storeBlockHash(state: StateView, height: number, hash: Uint8Array): Effects {
  const account = state.account(HISTORY_ADDRESS)
  if (account === undefined) return new Map()
  const storage = new Map([[toHexDigits(slotOf(height)), hash]])
  const effect = { address: HISTORY_ADDRESS, account, storageCleared: false, storage }
  return new Map([[toHexDigits(HISTORY_ADDRESS), effect]])
}
