import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { bigintToFixedBytes, concatBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { overlay } from '../overlay.ts'
import type { Message } from '../types.ts'
import { createWasmEngine } from './engine.ts'

const CALLER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)

/** Jumps to the offset given in the input: PUSH0, CALLDATALOAD, JUMP. */
const JUMP_TO_INPUT = Uint8Array.of(0x5f, 0x35, 0x56)
const JUMPDEST = 0x5b

/** Offsets of JUMPDESTs that are not part of a PUSH argument, by the definition. */
function destinationsOf(code: Uint8Array): Set<number> {
  const places = new Set<number>()
  for (let pc = 0; pc < code.length; pc++) {
    const opcode = code[pc] as number
    if (opcode === JUMPDEST) places.add(pc)
    if (opcode >= 0x60 && opcode <= 0x7f) pc += opcode - 0x5f
  }
  return places
}

const engine = createWasmEngine()

/** How a call of the code with this offset as input ends. */
function jump(code: Uint8Array, target: number): string {
  const world = overlay(emptyState)
  world.setAccount(TARGET, { nonce: 1n, balance: 0n, codeHash: keccak256(code) }, code)
  const message: Message = {
    caller: CALLER,
    to: TARGET,
    value: 0n,
    data: bigintToFixedBytes(BigInt(target), 32),
    gasLimit: 30_000n,
    gasPrice: 0n,
    origin: CALLER,
    nonce: 0n,
    accessList: [],
  }
  const { status, error } = engine.execute(message, EVM_BLOCK, world, 'result')
  return status === 'success' ? status : error
}

test('jumps go to every JUMPDEST that is no argument of a PUSH, and nowhere else', () => {
  const byte = fc.oneof(
    fc.constantFrom(JUMPDEST, JUMPDEST, 0x5a, 0x5c, 0x5f, 0x60, 0x61, 0x7f, 0x80, 0xdb, 0),
    fc.integer({ min: 0, max: 255 }),
  )
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 80 }), (bytes) => {
      const code = concatBytes(JUMP_TO_INPUT, Uint8Array.from(bytes))
      const destinations = destinationsOf(code)
      for (let target = 0; target < code.length + 2; target++)
        // A code that ends with its destination stops there; what follows does not change the path to it.
        if (destinations.has(target))
          expect(jump(code.subarray(0, target + 1), target)).toBe('success')
        else expect(jump(code, target)).toBe('invalid jump destination')
    }),
    { numRuns: 60 },
  )
})
