/** Changes of the network's rules that the validators decided, carried out at the beginning of a block. */
import { bigintToFixedBytes, bytesToBigint, concatBytes, utf8 } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { AccountEffect, Effects, StateView } from '../../evm/types.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'
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

/** What is decided for a height; undefined for nothing. */
function upgradeAt(state: StateView, height: number): Upgrade | undefined {
  const slot = keccak256(concatBytes(word(BigInt(height)), word(BigInt(UPGRADES ?? 0))))
  const first = state.storage(STAKING_ADDRESS, slot)
  if (first.every((byte) => byte === 0)) return undefined
  return {
    rules: bytesToBigint(first.subarray(24)),
    target: first.subarray(4, 24),
    codeHash: state.storage(STAKING_ADDRESS, word(bytesToBigint(slot) + 1n)),
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

/** An existing account with other code; nothing where there is none, or where nobody has the code. */
function codeEffect(state: StateView, { target, codeHash }: Upgrade): AccountEffect | undefined {
  const account = state.account(target)
  const code = state.code(codeHash)
  if (account === undefined || code.length === 0) return undefined
  return {
    address: target.slice(),
    account: { ...account, codeHash },
    storageCleared: false,
    storage: new Map(),
    code,
  }
}

/**
 * What the upgrade of a height changes, on the state before its block. Throws UserError where the rules in force are ones that
 * this program does not know: it must not guess what the other nodes do.
 */
export function upgradeEffects(state: StateView, height: number): Effects {
  requireKnown(bytesToBigint(state.storage(SYSTEM_ADDRESS, RULES_SLOT)), height)
  const upgrade = upgradeAt(state, height)
  const effects = new Map<string, AccountEffect>()
  if (upgrade === undefined) return effects
  requireKnown(upgrade.rules, height)
  const code = codeEffect(state, upgrade)
  if (code !== undefined) effects.set(toHexDigits(code.address), code)
  if (upgrade.rules > 0n)
    effects.set(toHexDigits(SYSTEM_ADDRESS), {
      address: SYSTEM_ADDRESS,
      account: { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH },
      storageCleared: false,
      storage: new Map([[toHexDigits(RULES_SLOT), word(upgrade.rules)]]),
    })
  return effects
}
