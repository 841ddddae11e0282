/** The opcodes that are compiled; at any other opcode compiled code hands over to the interpreter. */

export const JUMP = 0x56
export const JUMPI = 0x57
export const JUMPDEST = 0x5b

/** Number of words that an opcode pops and pushes. */
export type StackUse = { readonly takes: number; readonly puts: number }

const uses = new Map<number, StackUse>()

function cover(first: number, last: number, takes: number, puts: number): void {
  for (let opcode = first; opcode <= last; opcode++) uses.set(opcode, { takes, puts })
}

cover(0x01, 0x07, 2, 1) // ADD MUL SUB DIV SDIV MOD SMOD
cover(0x08, 0x09, 3, 1) // ADDMOD MULMOD
cover(0x0b, 0x0b, 2, 1) // SIGNEXTEND
cover(0x10, 0x14, 2, 1) // LT GT SLT SGT EQ
cover(0x15, 0x15, 1, 1) // ISZERO
cover(0x16, 0x18, 2, 1) // AND OR XOR
cover(0x19, 0x19, 1, 1) // NOT
cover(0x1a, 0x1d, 2, 1) // BYTE SHL SHR SAR
cover(0x20, 0x20, 2, 1) // KECCAK256
cover(0x30, 0x30, 0, 1) // ADDRESS
cover(0x32, 0x34, 0, 1) // ORIGIN CALLER CALLVALUE
cover(0x35, 0x35, 1, 1) // CALLDATALOAD
cover(0x36, 0x36, 0, 1) // CALLDATASIZE
cover(0x38, 0x38, 0, 1) // CODESIZE
cover(0x3a, 0x3a, 0, 1) // GASPRICE
cover(0x41, 0x46, 0, 1) // COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID
cover(0x48, 0x48, 0, 1) // BASEFEE
cover(0x50, 0x50, 1, 0) // POP
cover(0x51, 0x51, 1, 1) // MLOAD
cover(0x52, 0x52, 2, 0) // MSTORE
cover(0x54, 0x54, 1, 1) // SLOAD
cover(0x55, 0x55, 2, 0) // SSTORE
cover(JUMP, JUMP, 1, 0)
cover(JUMPI, JUMPI, 2, 0)
cover(0x58, 0x5a, 0, 1) // PC MSIZE GAS
cover(JUMPDEST, JUMPDEST, 0, 0)
cover(0x5f, 0x7f, 0, 1) // PUSH0 to PUSH32
for (let n = 1; n <= 16; n++) {
  cover(0x7f + n, 0x7f + n, n, n + 1) // DUP
  cover(0x8f + n, 0x8f + n, n + 1, n + 1) // SWAP
}

export function isCovered(opcode: number): boolean {
  return uses.has(opcode)
}

/** Throws RangeError for an opcode that is not covered. */
export function stackUse(opcode: number): StackUse {
  const use = uses.get(opcode)
  if (use === undefined) throw new RangeError(`opcode ${opcode} is not compiled`)
  return use
}

/** Whether the cost of an opcode is known only when it runs: nothing after it may then be paid for in advance. */
export function hasDynamicGas(opcode: number): boolean {
  return opcode === 0x20 || opcode === 0x54 || opcode === 0x55
}
