/**
 * opcountTracer, unigramTracer, bigramTracer and trigramTracer: how many steps there were, and how often each opcode,
 * or each sequence of opcodes within a frame, occurred. A step that fails counts too, as in go-ethereum.
 */
import type { StepListener } from '../wasm/tracing.ts'
import { opcodeName } from './opcodes.ts'
import type { TracerKind } from './tracer.ts'

/** What a kind does with a step; `depth` tells frames apart only where they follow each other, as in go-ethereum. */
type Count = (opcode: number, depth: number) => void

function listenerOf(count: Count): StepListener {
  return {
    step: (_core, _memory, depth, _pc, opcode) => count(opcode, depth),
    end: () => undefined,
  }
}

/** A kind that counts afresh for each transaction. */
function counting(start: () => { readonly count: Count; result(): unknown }): TracerKind {
  return {
    watchesSteps: false,
    listensToSteps: true,
    start() {
      const { count, result } = start()
      return { hooks: {}, listener: listenerOf(count), result }
    },
  }
}

/** Counters by number: a sequence of opcodes is one, with eight bits for each, so that few texts are made. */
function createHistogram(name: (key: number) => string) {
  const counts = new Map<number, number>()
  return {
    add: (key: number) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    result: (): object =>
      Object.fromEntries(Array.from(counts, ([key, count]) => [name(key), count])),
  }
}

/** The number of steps. */
export const opcountTracer: TracerKind = counting(() => {
  let steps = 0
  return { count: () => void steps++, result: () => steps }
})

/** `{"PUSH1": count}`. */
export const unigramTracer: TracerKind = counting(() => {
  const { add, result } = createHistogram(opcodeName)
  return { count: add, result }
})

/** `{"PUSH1-MSTORE": count}`: neighbours at one depth. */
export const bigramTracer: TracerKind = counting(() => {
  const { add, result } = createHistogram(
    (key) => `${opcodeName(key >> 8)}-${opcodeName(key & 0xff)}`,
  )
  let last = 0
  let lastDepth = -1
  return {
    count(opcode, depth) {
      if (depth === lastDepth) add((last << 8) | opcode)
      last = opcode
      lastDepth = depth
    },
    result,
  }
})

/** No opcode yet. */
const NONE = 0x100

const nameOrNone = (opcode: number): string => (opcode === NONE ? '' : opcodeName(opcode))

/** `{"PUSH1-PUSH1-MSTORE": count}`; the first step of a depth is not in any, and the second follows two empty names. */
export const trigramTracer: TracerKind = counting(() => {
  const { add, result } = createHistogram((key) =>
    [key >> 17, (key >> 8) & 0x1ff, key & 0xff].map(nameOrNone).join('-'),
  )
  let [before, last] = [NONE, NONE]
  let lastDepth = -1
  return {
    count(opcode, depth) {
      if (depth !== lastDepth) {
        ;[before, last] = [NONE, NONE]
        lastDepth = depth
        return
      }
      add((before << 17) | (last << 8) | opcode)
      ;[before, last] = [last, opcode]
    },
    result,
  }
})
