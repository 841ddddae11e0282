/** Effects of opcodes on stack and memory, as vmTrace counts them. */
import { CALL, CALLCODE, CREATE, CREATE2, DELEGATECALL, SLOAD, STATICCALL } from './opcodes.ts'

const PUSH0 = 0x5f
const PUSH32 = 0x7f
const DUP1 = 0x80
const SWAP1 = 0x90
const SWAP16 = 0x9f

/** Opcodes from 0x01 to 0x5e that push a word, as ranges. */
const LEAVING: readonly (readonly [number, number])[] = [
  [0x01, 0x0b],
  [0x10, 0x1e],
  [0x20, 0x20],
  [0x30, 0x36],
  [0x38, 0x38],
  [0x3a, 0x3b],
  [0x3d, 0x3d],
  [0x3f, 0x4a],
  [0x51, 0x51],
  [SLOAD, SLOAD],
  [0x58, 0x5a],
  [0x5c, 0x5c],
  [PUSH0, PUSH32],
  [CREATE, CALLCODE],
  [DELEGATECALL, CREATE2],
  [STATICCALL, STATICCALL],
]

function countPushed(opcode: number): number {
  if (opcode >= SWAP1 && opcode <= SWAP16) return opcode - SWAP1 + 2
  if (opcode >= DUP1 && opcode < SWAP1) return opcode - DUP1 + 2
  return LEAVING.some(([first, last]) => opcode >= first && opcode <= last) ? 1 : 0
}

const PUSHED: readonly number[] = Array.from({ length: 256 }, (_, opcode) => countPushed(opcode))

/** Number of words that an opcode leaves on top: for DUP and SWAP all that it reaches across. */
export function pushedWords(opcode: number): number {
  return PUSHED[opcode] ?? 0
}

/** Positions of an opcode's memory operands, from the top of the stack: the size is an operand too, or fixed. */
export type MemoryOperands =
  | { readonly offset: number; readonly size: number; readonly fixed?: never }
  | { readonly offset: number; readonly size?: never; readonly fixed: number }

const MEMORY: ReadonlyMap<number, MemoryOperands> = new Map<number, MemoryOperands>([
  [0x37, { offset: 0, size: 2 }], // CALLDATACOPY
  [0x39, { offset: 0, size: 2 }], // CODECOPY
  [0x3c, { offset: 1, size: 3 }], // EXTCODECOPY
  [0x3e, { offset: 0, size: 2 }], // RETURNDATACOPY
  [0x51, { offset: 0, fixed: 32 }], // MLOAD
  [0x52, { offset: 0, fixed: 32 }], // MSTORE
  [0x53, { offset: 0, fixed: 1 }], // MSTORE8
  [0x5e, { offset: 0, size: 2 }], // MCOPY
  [CALL, { offset: 5, size: 6 }],
  [CALLCODE, { offset: 5, size: 6 }],
  [DELEGATECALL, { offset: 4, size: 5 }],
  [STATICCALL, { offset: 4, size: 5 }],
])

/** The memory that an opcode writes, or reads in the case of MLOAD; undefined for none. */
export function memoryOperands(opcode: number): MemoryOperands | undefined {
  return MEMORY.get(opcode)
}
