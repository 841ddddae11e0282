/** Where contracts keep what bundles prove: storage slots of 32 bytes. */
import { bigintToFixedBytes, bytesToBigint, concatBytes, padLeft } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'

/** The contract that keeps the hashes of former blocks (EIP-2935), and how many. */
export const HISTORY_ADDRESS = '0x0000f90827f1c53a10cb7a02335b175320002935'
export const HISTORY_WINDOW = 8191

/** The slot of a block's hash, until a later block takes its place. */
export function historySlot(block: number): Uint8Array {
  return bigintToFixedBytes(BigInt(block % HISTORY_WINDOW), 32)
}

/** The slot of a mapping's value (Solidity, "Layout of State Variables in Storage"). */
function mappingSlot(key: Uint8Array, base: Uint8Array): Uint8Array {
  return keccak256(concatBytes(key, base))
}

function plus(slot: Uint8Array, offset: bigint): Uint8Array {
  return bigintToFixedBytes(bytesToBigint(slot) + offset, 32)
}

const FIRST_VARIABLE = new Uint8Array(32)

/** Root and count of an anchor in contracts/JobReceipts.sol. */
export function anchorSlots(
  dispatcher: Uint8Array,
  interval: bigint,
): { readonly root: Uint8Array; readonly count: Uint8Array } {
  const list = mappingSlot(padLeft(dispatcher, 32), FIRST_VARIABLE)
  const root = mappingSlot(bigintToFixedBytes(interval, 32), list)
  return { root, count: plus(root, 1n) }
}

/** Range and stake of an operator in contracts/OperatorRegistry.sol. */
export function operatorSlots(operator: Uint8Array): {
  readonly range: Uint8Array
  readonly stake: Uint8Array
} {
  const range = mappingSlot(padLeft(operator, 32), FIRST_VARIABLE)
  return { range, stake: plus(range, 1n) }
}
