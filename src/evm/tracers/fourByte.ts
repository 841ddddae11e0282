/** 4byteTracer: which selectors were called, with how many bytes of arguments, and how often. */
import { toHex } from '../../base/hex.ts'
import { isPrecompile } from './flat.ts'
import { CREATE, CREATE2, SELFDESTRUCT } from './opcodes.ts'
import type { TracerKind } from './tracer.ts'

/** The tracer: `{"0x<selector>-<bytes of arguments>": count}`. */
export const fourByteTracer: TracerKind = {
  watchesSteps: false,
  start({ block, transaction: { to, data } }) {
    const counts: Record<string, number> = {}
    const count = (input: Uint8Array): void => {
      if (input.length < 4) return
      const key = `${toHex(input.subarray(0, 4))}-${input.length - 4}`
      counts[key] = (counts[key] ?? 0) + 1
    }
    if (to !== undefined && !isPrecompile(to, block)) count(data)
    return {
      hooks: {
        onEnter({ opcode, to: target, input }) {
          const isCall = opcode !== CREATE && opcode !== CREATE2 && opcode !== SELFDESTRUCT
          if (isCall && !isPrecompile(target, block)) count(input)
        },
      },
      result: () => counts,
    }
  },
}
