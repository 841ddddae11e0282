/** Changes of the network's rules, applied at the beginning of a block. */
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

/** Throws UserError if the active rules are from a newer program. */
function requireKnown(rules: bigint, height: number): void {
  if (rules <= KNOWN_RULES) return
  throw new UserError(
    `the validators decided to activate version ${rules} of the EVM rules at block ${height}`,
    `This program supports rules up to version ${KNOWN_RULES}: install a newer one and start it on this home folder.`,
  )
}

/** An effect that changes slots and code of an account, and nothing else of it. */
function effectOn(
  address: Uint8Array,
  account: Account,
  changes: Partial<Pick<AccountEffect, 'storage' | 'code'>>,
): Effects {
  const effect = { address, account, storageCleared: false, storage: new Map(), ...changes }
  return new Map([[toHexDigits(address), effect]])
}

/** Sets an account's code, creating the account if needed: this is how a system contract starts at a height. */
function layCode(world: Overlay, address: Uint8Array, code: Uint8Array): void {
  const account = world.account(address) ?? { nonce: 1n, balance: 0n }
  world.apply(effectOn(address, { ...account, codeHash: keccak256(code) }, { code }))
}

/**
 * Sets the decided code; none for the zero address. Only code that an account has is in every node's store: a node that
 * began with a snapshot, or with an exported genesis, has no other.
 */
function layDecidedCode(world: Overlay, { target, codeHash, source }: Decision): void {
  const owner = world.account(source.slice())
  if (target.every((byte) => byte === 0) || owner === undefined) return
  if (equalBytes(owner.codeHash, codeHash)) layCode(world, target.slice(), world.code(codeHash))
}

/** Activates a version, unless a newer one is active. */
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
 * Applies what the validators decided for a height, and then deletes the decision: a chain that begins with this state
 * reaches the same height again.
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
 * Applies the upgrades of a height to the state before its block: those of genesis, then the validators' decision. The
 * active fork is determined by `hardforkAt`. Throws UserError if this program does not know the active rules: it must
 * not guess what the other nodes do.
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
