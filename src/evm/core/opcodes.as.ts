// The static part of every opcode: gas and stack bounds, in a table that the interpreter reads once per step. An opcode
// unknown to a fork has bounds that no stack meets, so checking the fork costs nothing at run time.
//
// An entry (u64): gas (32 bits), minimum height of the stack in bytes (16), maximum excess over it (16).
import { CANCUN, LONDON, OSAKA, SHANGHAI, includes } from './forks.as'
import { FORK_RULES, RULES } from './layout.as'

@inline const STACK_LIMIT: u32 = 1024
/** A height that is not a multiple of a word. */
@inline const NEVER: u64 = 0x0000ffff00000000

@inline
export function gasOf(rule: u64): i64 {
  return <i64>(rule & 0xffffffff)
}

/** Minimum height of the stack in bytes. */
@inline
export function needOf(rule: u64): u32 {
  return <u32>(rule >> 32) & 0xffff
}

/** Whether a stack of `height` bytes has the opcode's operands and room for its results. */
@inline
export function fits(rule: u64, height: u32): bool {
  return height - needOf(rule) <= <u32>(rule >> 48)
}

@inline
export function isDefined(rule: u64): bool {
  return needOf(rule) != 0xffff
}

function set(opcode: u32, gas: u32, takes: u32, puts: u32): void {
  const most = puts > takes ? STACK_LIMIT - (puts - takes) : STACK_LIMIT
  const span = (most - takes) << 5
  store<u64>(
    FORK_RULES + (opcode << 3),
    <u64>gas | ((<u64>(takes << 5)) << 32) | ((<u64>span) << 48),
  )
}

/** Sets consecutive opcodes with the same entry. */
function setAll(first: u32, last: u32, gas: u32, takes: u32, puts: u32): void {
  for (let opcode = first; opcode <= last; opcode++) set(opcode, gas, takes, puts)
}

/** The entry of an opcode in the fork's table. */
export function trueRule(opcode: u32): u64 {
  return load<u64>(FORK_RULES + (opcode << 3))
}

/** Makes the interpreter use the fork's table, or one that rejects every opcode. */
export function useRules(isTrap: bool): void {
  for (let opcode: u32 = 0; opcode < 256; opcode++)
    store<u64>(RULES + (opcode << 3), isTrap ? NEVER : trueRule(opcode))
}

/** Opcodes new in Cancun: EIP-4844, 7516, 1153, 5656. */
function setCancunRules(): void {
  set(0x49, 3, 1, 1) // BLOBHASH
  set(0x4a, 2, 0, 1) // BLOBBASEFEE
  set(0x5c, 100, 1, 1) // TLOAD
  set(0x5d, 100, 2, 0) // TSTORE
  set(0x5e, 3, 3, 0) // MCOPY
}

/** Writes the table of the active fork. */
export function setRules(): void {
  for (let opcode: u32 = 0; opcode < 256; opcode++) store<u64>(FORK_RULES + (opcode << 3), NEVER)
  set(0x00, 0, 0, 0) // STOP
  set(0x01, 3, 2, 1) // ADD
  set(0x02, 5, 2, 1) // MUL
  set(0x03, 3, 2, 1) // SUB
  setAll(0x04, 0x07, 5, 2, 1) // DIV SDIV MOD SMOD
  setAll(0x08, 0x09, 8, 3, 1) // ADDMOD MULMOD
  set(0x0a, 10, 2, 1) // EXP
  set(0x0b, 5, 2, 1) // SIGNEXTEND
  setAll(0x10, 0x14, 3, 2, 1) // LT GT SLT SGT EQ
  set(0x15, 3, 1, 1) // ISZERO
  setAll(0x16, 0x18, 3, 2, 1) // AND OR XOR
  set(0x19, 3, 1, 1) // NOT
  setAll(0x1a, 0x1d, 3, 2, 1) // BYTE SHL SHR SAR
  if (includes(OSAKA)) set(0x1e, 5, 1, 1) // CLZ
  set(0x20, 30, 2, 1) // KECCAK256
  set(0x30, 2, 0, 1) // ADDRESS
  set(0x31, 0, 1, 1) // BALANCE
  setAll(0x32, 0x34, 2, 0, 1) // ORIGIN CALLER CALLVALUE
  set(0x35, 3, 1, 1) // CALLDATALOAD
  set(0x36, 2, 0, 1) // CALLDATASIZE
  set(0x37, 3, 3, 0) // CALLDATACOPY
  set(0x38, 2, 0, 1) // CODESIZE
  set(0x39, 3, 3, 0) // CODECOPY
  set(0x3a, 2, 0, 1) // GASPRICE
  set(0x3b, 0, 1, 1) // EXTCODESIZE
  set(0x3c, 0, 4, 0) // EXTCODECOPY
  set(0x3d, 2, 0, 1) // RETURNDATASIZE
  set(0x3e, 3, 3, 0) // RETURNDATACOPY
  set(0x3f, 0, 1, 1) // EXTCODEHASH
  set(0x40, 20, 1, 1) // BLOCKHASH
  setAll(0x41, 0x46, 2, 0, 1) // COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID
  set(0x47, 5, 0, 1) // SELFBALANCE
  if (includes(LONDON)) set(0x48, 2, 0, 1) // BASEFEE
  if (includes(CANCUN)) setCancunRules()
  set(0x50, 2, 1, 0) // POP
  set(0x51, 3, 1, 1) // MLOAD
  setAll(0x52, 0x53, 3, 2, 0) // MSTORE MSTORE8
  set(0x54, 0, 1, 1) // SLOAD
  set(0x55, 0, 2, 0) // SSTORE
  set(0x56, 8, 1, 0) // JUMP
  set(0x57, 10, 2, 0) // JUMPI
  setAll(0x58, 0x5a, 2, 0, 1) // PC MSIZE GAS
  set(0x5b, 1, 0, 0) // JUMPDEST
  if (includes(SHANGHAI)) set(0x5f, 2, 0, 1) // PUSH0
  setAll(0x60, 0x7f, 3, 0, 1) // PUSH1 to PUSH32
  for (let n: u32 = 1; n <= 16; n++) {
    set(0x7f + n, 3, n, n + 1) // DUP
    set(0x8f + n, 3, n + 1, n + 1) // SWAP
  }
  for (let n: u32 = 0; n <= 4; n++) set(0xa0 + n, 375 + 375 * n, n + 2, 0) // LOG
  set(0xf0, 32000, 3, 1) // CREATE
  setAll(0xf1, 0xf2, 0, 7, 1) // CALL CALLCODE
  set(0xf3, 0, 2, 0) // RETURN
  set(0xf4, 0, 6, 1) // DELEGATECALL
  set(0xf5, 32000, 4, 1) // CREATE2
  set(0xfa, 0, 6, 1) // STATICCALL
  set(0xfd, 0, 2, 0) // REVERT
  set(0xff, 5000, 1, 0) // SELFDESTRUCT
  useRules(false)
}
