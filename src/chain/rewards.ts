/** Who receives the tips of a validator's blocks: a slot of the staking contract (D18). */
import { concatBytes, padLeft } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import type { StateView } from '../evm/types.ts'
import { STAKING_ADDRESS } from './predeploys.ts'

/** Position of `rewardOf` in contracts/Staking.sol, as in the contract of older homes. */
const REWARD_OF = new Uint8Array(32)

/** The 32-byte slot of rewardOf[consensusAddress] (20 bytes). */
export function rewardSlot(consensusAddress: Uint8Array): Uint8Array {
  return keccak256(concatBytes(padLeft(consensusAddress, 32), REWARD_OF))
}

/** The 20-byte reward address of a validator; the zero address if it has none, whose fees can never be spent. */
export function rewardAddress(state: StateView, consensusAddress: Uint8Array): Uint8Array {
  return state.storage(STAKING_ADDRESS, rewardSlot(consensusAddress)).subarray(12)
}
