// Why a frame stops before its end. Functions that charge gas return the remaining gas, or one of these: all are
// negative, so one comparison tells them apart. src/evm/wasm/reasons.ts has the messages.

export const OUT_OF_GAS: i64 = -1
export const GAS_OVERFLOW: i64 = -2
export const STACK_UNDERFLOW: i64 = -3
export const STACK_OVERFLOW: i64 = -4
export const INVALID_OPCODE: i64 = -5
export const INVALID_JUMP: i64 = -6
export const WRITE_PROTECTION: i64 = -7
export const RETURN_DATA_OUT_OF_BOUNDS: i64 = -8
export const INIT_CODE_TOO_LARGE: i64 = -9
export const CODE_TOO_LARGE: i64 = -10
export const CODE_BEGINS_WITH_EF: i64 = -11
export const CODE_STORE_OUT_OF_GAS: i64 = -12
export const ADDRESS_COLLISION: i64 = -13
export const INSUFFICIENT_BALANCE: i64 = -14
export const PRECOMPILE_FAILED: i64 = -15
/** For calls that are refused before a frame opens; only tracers see them. */
export const TOO_DEEP: i64 = -16
export const NONCE_OVERFLOW: i64 = -17
/** EIP-2200: a slot cannot be written with as little gas as a call's stipend. */
export const REENTRANCY_SENTRY: i64 = -18

/** Not a halt: a call or creation has opened a frame, which runs first. */
export const FRAME_OPENED: i64 = -100
