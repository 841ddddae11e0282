/**
 * The part of a code that is worth compiling: starting from its hot jump target, everything that constant jumps lead
 * to, and every jump target whose offset it pushes (return addresses of internal functions), up to a limit.
 */
import { isCovered, JUMP, JUMPDEST } from './opcodes.ts'

/** One instruction at its offset in the code; `argument` of a PUSH. */
export type Instruction = {
  readonly offset: number
  readonly opcode: number
  readonly argument: bigint
}

/** Instructions with a single entry, the first one. They end with a jump, or before an instruction that is not compiled. */
export type Superblock = {
  readonly offset: number
  readonly instructions: readonly Instruction[]
  /** Where it continues without a jump: an offset in the code. */
  readonly end: number
}

const MOST_SUPERBLOCKS = 128
const MOST_INSTRUCTIONS = 1536
/** Maximum number of instructions in a superblock: each may take four local variables. */
const MOST_IN_A_ROW = 384
const PUSH0 = 0x5f
const PUSH32 = 0x7f

export const isPush = (opcode: number): boolean => opcode >= PUSH0 && opcode <= PUSH32

function decodeFrom(code: Uint8Array, start: number): Superblock {
  const instructions: Instruction[] = []
  let offset = start
  while (offset < code.length && instructions.length < MOST_IN_A_ROW) {
    const opcode = code[offset] as number
    const isNext = opcode === JUMPDEST && offset > start
    if (isNext || !isCovered(opcode)) break
    const size = isPush(opcode) ? opcode - PUSH0 : 0
    let argument = 0n
    // Past the end of the code there are zeros.
    for (let i = 1; i <= size; i++) argument = (argument << 8n) | BigInt(code[offset + i] ?? 0)
    instructions.push({ offset, opcode, argument })
    offset += 1 + size
    if (opcode === JUMP) break
  }
  return { offset: start, instructions, end: offset }
}

/** Offsets of all JUMPDESTs that are not part of a PUSH argument. */
function jumpDestinations(code: Uint8Array): Set<number> {
  const found = new Set<number>()
  for (let i = 0; i < code.length; i++) {
    const opcode = code[i] as number
    if (opcode === JUMPDEST) found.add(i)
    else if (isPush(opcode)) i += opcode - PUSH0
  }
  return found
}

/** The superblocks around the roots (offsets of jump targets), the roots first. */
export function superblocksFrom(code: Uint8Array, roots: readonly number[]): Superblock[] {
  const destinations = jumpDestinations(code)
  const seen = new Set<number>()
  const queue: number[] = []
  const visit = (offset: number): void => {
    if (!destinations.has(offset) || seen.has(offset)) return
    seen.add(offset)
    queue.push(offset)
  }
  for (const root of roots) visit(root)
  const superblocks: Superblock[] = []
  let instructions = 0
  for (const offset of queue) {
    if (superblocks.length === MOST_SUPERBLOCKS || instructions >= MOST_INSTRUCTIONS) break
    const superblock = decodeFrom(code, offset)
    superblocks.push(superblock)
    instructions += superblock.instructions.length
    visit(superblock.end)
    for (const { opcode, argument } of superblock.instructions)
      if (isPush(opcode) && argument < BigInt(code.length)) visit(Number(argument))
  }
  return superblocks
}
