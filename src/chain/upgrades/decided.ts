/**
 * The validators' decisions about the network's rules, as stored in the state: in the staking contract, and once
 * active.
 */
import { bigintToFixedBytes, bytesToBigint, concatBytes, utf8 } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { CHAIN_HARDFORKS, LATEST_HARDFORK, type Hardfork } from '../../evm/rules.ts'
import type { StateView } from '../../evm/types.ts'
import { Staking } from '../../generated/contracts.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { SYSTEM_ADDRESS } from '../staking/validatorSet.ts'

type Storage = Pick<StateView, 'storage'>

/** The newest version of the EVM's rules that this program knows. Version 1 is the oldest of the forks. */
export const KNOWN_RULES = BigInt(CHAIN_HARDFORKS.length)

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)

/** Slot of the system account with the most recently decided version; 0 means that of genesis. */
export const RULES_SLOT = keccak256(utf8('assay.rules'))

/** Slot of the system account with the height from which a version is active by decision; 0 for none. */
export function startSlot(version: bigint): Uint8Array {
  return keccak256(utf8(`assay.rules.${version}`))
}

function slotNamed(name: string): bigint {
  const entry = Staking.storageLayout.storage.find(({ label }) => label === name)
  if (entry === undefined) throw new RangeError(`the staking contract has no ${name}`)
  return BigInt(entry.slot)
}

const DECISIONS = word(slotNamed('upgradeAt_'))
const HEIGHTS = word(slotNamed('decidedHeights_'))
const FIRST_HEIGHT = bytesToBigint(keccak256(HEIGHTS))
/** Heights in one slot. */
const PACKED = 4

export type Decision = {
  /** Version of the EVM's rules; 0 keeps them. */
  readonly rules: bigint
  readonly target: Uint8Array
  readonly codeHash: Uint8Array
  /** Whose code it is. */
  readonly source: Uint8Array
}

/** The slots of the contract with the decision for a height: rules and target, hash of the code, source. */
export function decisionSlots(height: number): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const slot = keccak256(concatBytes(word(BigInt(height)), DECISIONS))
  const first = bytesToBigint(slot)
  return [slot, word(first + 1n), word(first + 2n)]
}

/** The decision for a future height; undefined if there is none. */
export function decisionFor(state: Storage, height: number): Decision | undefined {
  const [slot, codeSlot, sourceSlot] = decisionSlots(height)
  const first = state.storage(STAKING_ADDRESS, slot)
  if (first.every((byte) => byte === 0)) return undefined
  return {
    rules: bytesToBigint(first.subarray(24)),
    target: first.subarray(4, 24),
    codeHash: state.storage(STAKING_ADDRESS, codeSlot),
    source: state.storage(STAKING_ADDRESS, sourceSlot).subarray(12),
  }
}

/** Every height for which something was ever decided. */
export function decidedHeights(state: Storage): readonly number[] {
  const count = Number(bytesToBigint(state.storage(STAKING_ADDRESS, HEIGHTS)))
  return Array.from({ length: count }, (_, index) => {
    const slot = FIRST_HEIGHT + BigInt(Math.floor(index / PACKED))
    const end = 32 - 8 * (index % PACKED)
    const packed = state.storage(STAKING_ADDRESS, word(slot))
    return Number(bytesToBigint(packed.subarray(end - 8, end)))
  })
}

/** The version active by decision; 0 if there is none. */
export function decidedRules(state: Storage): bigint {
  return bytesToBigint(state.storage(SYSTEM_ADDRESS, RULES_SLOT))
}

/** The height from which a version is active by decision; undefined if it was never decided, or is not active yet. */
export function startOf(state: Storage, version: bigint): number | undefined {
  const height = Number(bytesToBigint(state.storage(SYSTEM_ADDRESS, startSlot(version))))
  return height === 0 ? undefined : height
}

/** The fork of a version that this program knows. */
export function hardforkOf(version: bigint): Hardfork {
  return CHAIN_HARDFORKS[Number(version) - 1] ?? LATEST_HARDFORK
}
