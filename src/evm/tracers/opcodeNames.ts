/** Names of opcodes as go-ethereum's tracers write them. */

const NAMED: Readonly<Record<number, readonly string[]>> = {
  0x00: 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'.split(' '),
  0x10: 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'.split(' '),
  0x20: ['KECCAK256'],
  0x30: [
    ...'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY'.split(' '),
    ...'CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE'.split(' '),
    ...'RETURNDATACOPY EXTCODEHASH'.split(' '),
  ],
  // PREVRANDAO still goes by its old name there.
  0x40: [
    ...'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE'.split(' '),
    ...'BASEFEE BLOBHASH BLOBBASEFEE'.split(' '),
  ],
  0x50: [
    ...'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST'.split(' '),
    ...'TLOAD TSTORE MCOPY PUSH0'.split(' '),
  ],
  0x60: Array.from({ length: 32 }, (_, index) => `PUSH${index + 1}`),
  0x80: Array.from({ length: 16 }, (_, index) => `DUP${index + 1}`),
  0x90: Array.from({ length: 16 }, (_, index) => `SWAP${index + 1}`),
  0xa0: Array.from({ length: 5 }, (_, index) => `LOG${index}`),
  0xf0: 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'.split(' '),
  0xfa: ['STATICCALL'],
  0xfd: ['REVERT', 'INVALID', 'SELFDESTRUCT'],
}

/** The name of each opcode, by its number. */
export const OPCODE_NAMES: readonly string[] = Array.from({ length: 256 }, (_, opcode) => {
  for (const [first, names] of Object.entries(NAMED)) {
    const name = names[opcode - Number(first)]
    if (name !== undefined) return name
  }
  return `opcode 0x${opcode.toString(16)} not defined`
})
