// Gas prices other than the static ones in opcodes.as.ts.

/** EIP-2929: warm and cold access. */
export const WARM_ACCESS: i64 = 100
export const COLD_ACCOUNT: i64 = 2600
export const COLD_SLOT: i64 = 2100

/** EIP-2200, 3529. */
export const SET_SLOT: i64 = 20000
export const RESET_SLOT: i64 = 2900
export const CLEAR_REFUND: i64 = 4800
/** Before EIP-3529: for clearing a slot, and for an account that self-destructs. */
export const EARLIER_CLEAR_REFUND: i64 = 15000
export const EARLIER_DESTRUCTION_REFUND: i64 = 24000
export const SSTORE_SENTRY: i64 = 2300

export const CALL_VALUE: i64 = 9000
export const CALL_STIPEND: i64 = 2300
export const NEW_ACCOUNT: i64 = 25000
/** EIP-3860. */
export const INIT_CODE_WORD: i64 = 2
export const MAX_INIT_CODE: u64 = 49152
/** EIP-170. */
export const MAX_CODE: u32 = 24576
export const CODE_BYTE: i64 = 200

export const KECCAK_WORD: i64 = 6
export const COPY_WORD: i64 = 3
export const EXP_BYTE: i64 = 50
export const LOG_BYTE: i64 = 8

/** Number of words, rounded up. */
@inline
export function wordsOf(bytes: u32): i64 {
  return (<i64>bytes + 31) >> 5
}

/** EIP-150: the maximum share of the remaining gas that a call may get. */
@inline
export function allButOne64th(gas: i64): i64 {
  return gas - (gas >> 6)
}
