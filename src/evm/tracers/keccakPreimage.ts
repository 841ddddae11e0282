/** keccak256PreimageTracer: the preimages of KECCAK256, by hash. Also the bytes that such a step hashes. */
import { toHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Step } from '../hooks.ts'
import { KECCAK256 } from './opcodes.ts'
import type { TracerKind } from './tracer.ts'

/** Maximum memory expansion of a step that tracers record, as in go-ethereum. */
const MOST_EXPANSION = 1024n * 1024n

/** Bytes of the memory that a step is about to read, zeros where it has not been expanded yet. undefined for too many. */
export function memoryOf(step: Step, offset: bigint, size: bigint): Uint8Array | undefined {
  const { memory } = step
  const end = offset + size
  if (end - BigInt(memory.length) > MOST_EXPANSION) return undefined
  const bytes = new Uint8Array(Number(size))
  if (size > 0n) bytes.set(memory.subarray(Number(offset), Number(end)))
  return bytes
}

/**
 * The input of a KECCAK256 step, even if there is not enough gas for it; undefined for any other step, and if the stack
 * is too low.
 */
export function preimageOf(step: Step): Uint8Array | undefined {
  if (step.opcode !== KECCAK256) return undefined
  const { stack } = step
  const [size, offset] = stack.slice(-2)
  return size === undefined || offset === undefined ? undefined : memoryOf(step, offset, size)
}

/** The tracer: `{"0x<hash>": "0x<bytes>"}`. */
export const keccakPreimageTracer: TracerKind = {
  watchesSteps: true,
  start() {
    const preimages: Record<string, string> = {}
    return {
      hooks: {
        onStep(step) {
          const preimage = preimageOf(step)
          if (preimage) preimages[toHex(keccak256(preimage))] = toHex(preimage)
        },
      },
      result: () => preimages,
    }
  },
}
