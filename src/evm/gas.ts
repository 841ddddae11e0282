/** Gas that a transaction costs before its first opcode, and limits around it. */
import { includesFork, type Hardfork } from './rules.ts'
import type { Transactable } from './transactable.ts'

/** EIP-3860: largest init code. */
export const MAX_INIT_CODE_SIZE = 49_152
/** EIP-7825: largest gas limit of a transaction. */
export const MAX_TRANSACTION_GAS = 1n << 24n
/** EIP-4844: gas of one blob. */
export const GAS_PER_BLOB = 131_072n
/** Gas of a plain transfer. */
export const TRANSACTION_GAS = 21_000n
/** EIP-7702: what an authorization costs, and what comes back when its account existed before. */
export const AUTHORIZATION_GAS = 25_000n
export const AUTHORIZATION_REFUND = 12_500n
/** EIP-3529: at most this part of the used gas is refunded. */
export const REFUND_QUOTIENT = 5n

const CREATION_GAS = 32_000n
const INIT_CODE_WORD_GAS = 2n
const TOKENS_PER_NONZERO_BYTE = 4n
const GAS_PER_TOKEN = 4n
const FLOOR_GAS_PER_TOKEN = 10n
const ACCESS_LIST_ADDRESS_GAS = 2_400n
const ACCESS_LIST_SLOT_GAS = 1_900n

/** EIP-7623 tokens: one per zero byte of data, four per other byte. */
function tokensOf(data: Uint8Array): bigint {
  let zeros = 0
  for (const byte of data) if (byte === 0) zeros++
  return BigInt(zeros) + BigInt(data.length - zeros) * TOKENS_PER_NONZERO_BYTE
}

type GasRelevant = Pick<Transactable, 'to' | 'data' | 'accessList' | 'authorizationList'>

/** Intrinsic gas: base, data, creation (EIP-3860), access list (EIP-2930), authorizations (EIP-7702). */
export function intrinsicGas({ to, data, accessList, authorizationList }: GasRelevant): bigint {
  const slots = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const words = BigInt(Math.ceil(data.length / 32))
  return (
    TRANSACTION_GAS +
    (to === undefined ? CREATION_GAS + words * INIT_CODE_WORD_GAS : 0n) +
    tokensOf(data) * GAS_PER_TOKEN +
    BigInt(accessList.length) * ACCESS_LIST_ADDRESS_GAS +
    BigInt(slots) * ACCESS_LIST_SLOT_GAS +
    BigInt(authorizationList.length) * AUTHORIZATION_GAS
  )
}

/** Least gas that a transaction pays for its data from Prague on (EIP-7623); 0 before. */
export function floorGas(data: Uint8Array, rules: { readonly hardfork: Hardfork }): bigint {
  if (!includesFork(rules, 'prague')) return 0n
  return TRANSACTION_GAS + tokensOf(data) * FLOOR_GAS_PER_TOKEN
}
