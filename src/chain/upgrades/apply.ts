/** Changes of the network's rules, carried out at the beginning of a block. */
import { bigintToFixedBytes, equalBytes } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Overlay } from '../../evm/overlay.ts'
import type { Account, AccountEffect, Effects } from '../../evm/types.ts'
import type { ChainRules } from '../executed.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { SYSTEM_ADDRESS } from '../staking/validatorSet.ts'
import {
  decidedRules,
  decisionFor,
  decisionSlots,
  KNOWN_RULES,
  RULES_SLOT,
  startSlot,
  type Decision,
} from './decided.ts'

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)

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

/** Gives an account the code, and makes it where there is none: so a system contract begins at a height. */
function layCode(world: Overlay, address: Uint8Array, code: Uint8Array): void {
  const account = world.account(address) ?? { nonce: 1n, balance: 0n }
  world.apply(effectOn(address, { ...account, codeHash: keccak256(code) }, { code }))
}

/**
 * Lays the code that was decided; none for the zero address. Only code that an account has is in every node's store: one that
 * began with a snapshot, or with an exported genesis, has no other.
 */
function layDecidedCode(world: Overlay, { target, codeHash, source }: Decision): void {
  const owner = world.account(source.slice())
  if (target.every((byte) => byte === 0) || owner === undefined) return
  if (equalBytes(owner.codeHash, codeHash)) layCode(world, target.slice(), world.code(codeHash))
}

/** Puts a version in force, unless a newer one is. */
function setRules(world: Overlay, version: bigint, height: number): void {
  const system = world.account(SYSTEM_ADDRESS)
  if (system === undefined || version <= decidedRules(world)) return
  const storage = new Map([
    [toHexDigits(RULES_SLOT), word(version)],
    [toHexDigits(startSlot(version)), word(BigInt(height))],
  ])
  world.apply(effectOn(SYSTEM_ADDRESS, system, { storage }))
}

/**
 * Carries out what the validators decided for a height. It is then forgotten: a chain that begins with this state comes to the
 * same height again.
 */
function applyDecision(world: Overlay, height: number): void {
  requireKnown(decidedRules(world), height)
  const decision = decisionFor(world, height)
  if (decision === undefined) return
  requireKnown(decision.rules, height)
  layDecidedCode(world, decision)
  const contract = world.account(STAKING_ADDRESS)
  const done = new Map(decisionSlots(height).map((slot) => [toHexDigits(slot), word(0n)]))
  if (contract !== undefined) world.apply(effectOn(STAKING_ADDRESS, contract, { storage: done }))
  setRules(world, decision.rules, height)
}

/**
 * Carries out the upgrades of a height on the state before its block: what genesis says, then what the validators decided.
 * Which fork holds is `hardforkAt`'s to say. Throws UserError where the rules in force are ones that this program does not
 * know: it must not guess what the other nodes do.
 */
export function applyUpgrades(
  world: Overlay,
  { upgrades = [], staking }: Pick<ChainRules, 'upgrades' | 'staking'>,
  height: number,
): void {
  const planned = upgrades.find((upgrade) => upgrade.height === height)
  for (const [address, code] of planned?.code ?? []) layCode(world, fromHex(address), code)
  if (staking !== undefined) applyDecision(world, height)
}
