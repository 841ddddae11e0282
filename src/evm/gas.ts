/** Gas that a transaction costs before its first opcode, and limits around it. */
import { includesFork, type Hardfork } from './rules.ts'
import type { Transactable } from './transactable.ts'

/** EIP-3860: maximum size of init code. */
export const MAX_INIT_CODE_SIZE = 49_152
/** EIP-7825, from Osaka on. */
const MAX_TRANSACTION_GAS = 1n << 24n
/** EIP-4844: gas of one blob. */
export const GAS_PER_BLOB = 131_072n
/** Gas of a plain transfer. */
export const TRANSACTION_GAS = 21_000n
/** EIP-7702: cost of an authorization, and the refund if its account existed before. */
export const AUTHORIZATION_GAS = 25_000n
export const AUTHORIZATION_REFUND = 12_500n

const CREATION_GAS = 32_000
const INIT_CODE_WORD_GAS = 2
const TOKENS_PER_NONZERO_BYTE = 4
const GAS_PER_TOKEN = 4
const FLOOR_GAS_PER_TOKEN = 10
const ACCESS_LIST_ADDRESS_GAS = 2_400
const ACCESS_LIST_SLOT_GAS = 1_900

/** The maximum gas limit of a transaction; undefined in forks without one. */
export function gasCapOf(rules: { readonly hardfork: Hardfork }): bigint | undefined {
  return includesFork(rules, 'osaka') ? MAX_TRANSACTION_GAS : undefined
}

/** EIP-7623 tokens: one per zero byte of data, four per other byte. */
function tokensOf(data: Uint8Array): number {
  let tokens = data.length
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) tokens += TOKENS_PER_NONZERO_BYTE - 1
  return tokens
}

type Fork = { readonly hardfork: Hardfork }
type GasRelevant = Pick<Transactable, 'to' | 'data' | 'accessList' | 'authorizationList'>

/** Intrinsic gas: base, data, creation (EIP-3860), access list (EIP-2930), authorizations (EIP-7702). */
export function intrinsicGas(
  { to, data, accessList, authorizationList }: GasRelevant,
  rules: Fork = { hardfork: 'osaka' },
): bigint {
  // Counts of bytes and entries that fit into memory are exact as numbers.
  let gas = tokensOf(data) * GAS_PER_TOKEN + authorizationList.length * Number(AUTHORIZATION_GAS)
  if (to === undefined) gas += CREATION_GAS
  if (to === undefined && includesFork(rules, 'shanghai'))
    gas += Math.ceil(data.length / 32) * INIT_CODE_WORD_GAS
  for (const { storageKeys } of accessList)
    gas += ACCESS_LIST_ADDRESS_GAS + storageKeys.length * ACCESS_LIST_SLOT_GAS
  return TRANSACTION_GAS + BigInt(gas)
}

/** Minimum gas that a transaction pays for its data from Prague on (EIP-7623); 0 before. */
export function floorGas(data: Uint8Array, rules: Fork): bigint {
  if (!includesFork(rules, 'prague')) return 0n
  return TRANSACTION_GAS + BigInt(tokensOf(data) * FLOOR_GAS_PER_TOKEN)
}

/** The maximum refund of used gas: a fifth of it, half of it before London (EIP-3529). */
export function mostRefund(used: bigint, rules: Fork): bigint {
  return used / (includesFork(rules, 'london') ? 5n : 2n)
}
