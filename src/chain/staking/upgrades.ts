/** Changes of the network's rules that the validators decided, carried out at the beginning of a block. */
import { bigintToFixedBytes, bytesToBigint, concatBytes, utf8 } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Overlay } from '../../evm/overlay.ts'
import type { Account, AccountEffect, Effects, StateView } from '../../evm/types.ts'
import { Staking } from '../../generated/contracts.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { SYSTEM_ADDRESS } from './validatorSet.ts'

/** The newest version of the EVM's rules that this program knows. Version 1 is Osaka, from genesis on (D19). */
export const KNOWN_RULES = 1n

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)

/** Slot of the system account with the version in force; 0 stands for the first. */
const RULES_SLOT = keccak256(utf8('assay.rules'))
const UPGRADES = Staking.storageLayout.storage.find(({ label }) => label === 'upgradeAt_')?.slot

type Upgrade = {
  /** 0 keeps them. */
  readonly rules: bigint
  readonly target: Uint8Array
  readonly codeHash: Uint8Array
}

/** The two slots of a height's upgrade. */
function slotsOf(height: number): readonly [Uint8Array, Uint8Array] {
  const slot = keccak256(concatBytes(word(BigInt(height)), word(BigInt(UPGRADES ?? 0))))
  return [slot, word(bytesToBigint(slot) + 1n)]
}

/** What is decided for a height; undefined for nothing. */
function upgradeAt(state: StateView, height: number): Upgrade | undefined {
  const [slot, next] = slotsOf(height)
  const first = state.storage(STAKING_ADDRESS, slot)
  if (first.every((byte) => byte === 0)) return undefined
  return {
    rules: bytesToBigint(first.subarray(24)),
    target: first.subarray(4, 24),
    codeHash: state.storage(STAKING_ADDRESS, next),
  }
}

/** Throws UserError where the rules in force are of a newer program. */
function requireKnown(rules: bigint, height: number): void {
  if (rules <= KNOWN_RULES) return
  throw new UserError(
    `the validators decided that version ${rules} of the EVM's rules holds from block ${height} on`,
    `This program knows the rules up to version ${KNOWN_RULES}: install the newer one and start it on this home.`,
  )
}

/** What changes slots and code of an account, and leaves the rest of it as it is. */
function effectOn(
  address: Uint8Array,
  account: Account,
  changes: Partial<Pick<AccountEffect, 'storage' | 'code'>>,
): Effects {
  const effect = { address, account, storageCleared: false, storage: new Map(), ...changes }
  return new Map([[toHexDigits(address), effect]])
}

/** Gives the target the code; nothing where there is no such account, or where nobody has the code. */
function replaceCode(world: Overlay, { target, codeHash }: Upgrade): void {
  const account = world.account(target)
  const code = world.code(codeHash)
  if (account === undefined || code.length === 0) return
  world.apply(effectOn(target.slice(), { ...account, codeHash }, { code }))
}

/**
 * Carries out the upgrade of a height, on the state before its block. It is then forgotten: a chain that begins with this state
 * comes to the same height again. Throws UserError where the rules in force are ones that this program does not know: it must
 * not guess what the other nodes do.
 */
export function applyUpgrade(world: Overlay, height: number): void {
  requireKnown(bytesToBigint(world.storage(SYSTEM_ADDRESS, RULES_SLOT)), height)
  const upgrade = upgradeAt(world, height)
  if (upgrade === undefined) return
  requireKnown(upgrade.rules, height)
  replaceCode(world, upgrade)
  const contract = world.account(STAKING_ADDRESS)
  const done = new Map(slotsOf(height).map((slot) => [toHexDigits(slot), word(0n)]))
  if (contract !== undefined) world.apply(effectOn(STAKING_ADDRESS, contract, { storage: done }))
  const system = world.account(SYSTEM_ADDRESS)
  const rules = new Map([[toHexDigits(RULES_SLOT), word(upgrade.rules)]])
  if (upgrade.rules > 0n && system !== undefined)
    world.apply(effectOn(SYSTEM_ADDRESS, system, { storage: rules }))
}
