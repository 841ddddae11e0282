/** Opcodes that tracers know by number, and the names of all of them. */

export const ISZERO = 0x15
export const KECCAK256 = 0x20
export const BALANCE = 0x31
export const EXTCODESIZE = 0x3b
export const EXTCODECOPY = 0x3c
export const EXTCODEHASH = 0x3f
export const SLOAD = 0x54
export const SSTORE = 0x55
export const GAS = 0x5a
export const TLOAD = 0x5c
export const TSTORE = 0x5d
export const CREATE = 0xf0
export const CALL = 0xf1
export const CALLCODE = 0xf2
export const RETURN = 0xf3
export const DELEGATECALL = 0xf4
export const CREATE2 = 0xf5
export const STATICCALL = 0xfa
export const REVERT = 0xfd
export const SELFDESTRUCT = 0xff

const NAMES: readonly (readonly [number, string])[] = [
  [0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'],
  [0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'],
  [0x20, 'KECCAK256'],
  [0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY'],
  [0x38, 'CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY'],
  [0x3f, 'EXTCODEHASH'],
  [0x40, 'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE'],
  [0x48, 'BASEFEE BLOBHASH BLOBBASEFEE'],
  [0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST'],
  [0x5c, 'TLOAD TSTORE MCOPY PUSH0'],
  [0xa0, 'LOG0 LOG1 LOG2 LOG3 LOG4'],
  [0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'],
  [0xfa, 'STATICCALL'],
  [0xfd, 'REVERT INVALID SELFDESTRUCT'],
]

function allNames(): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  for (const [first, words] of NAMES)
    for (const [offset, name] of words.split(' ').entries()) names.set(first + offset, name)
  for (let count = 1; count <= 32; count++) names.set(0x5f + count, `PUSH${count}`)
  for (let count = 1; count <= 16; count++) {
    names.set(0x7f + count, `DUP${count}`)
    names.set(0x8f + count, `SWAP${count}`)
  }
  return names
}

const BY_NUMBER = allNames()

/** The name of an opcode, as go-ethereum's tracers print it. */
export function opcodeName(opcode: number): string {
  return BY_NUMBER.get(opcode) ?? `opcode 0x${opcode.toString(16)} not defined`
}
