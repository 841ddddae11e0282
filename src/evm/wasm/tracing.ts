/** The host functions by which the core reports steps and calls (core/trace.as.ts) to hooks. */
import { bigintToFixedBytes } from '../../base/bytes.ts'
import type { Hooks } from '../hooks.ts'
import type { Core, CoreHost } from './core.ts'
import type { Machine } from './machine.ts'
import { MESSAGE, type WasmMemory } from './memory.ts'
import { readLog, STATUS } from './outcome.ts'
import { haltReason } from './reasons.ts'

/** Reads steps directly in the core's memory, without allocating objects: for tracers of long executions. */
export type StepListener = {
  /** Before each step. `gas` is the frame's gas; the stack's words begin at `stack`, the top one last. */
  step(
    core: Core,
    memory: WasmMemory,
    depth: number,
    pc: number,
    opcode: number,
    gas: bigint,
    stack: number,
    stackHeight: number,
  ): void
  /** After the outermost frame, with the remaining gas. */
  end(core: Core, memory: WasmMemory, gasLeft: bigint): void
}

function addressAt(memory: WasmMemory, word: number): Uint8Array {
  return bigintToFixedBytes(BigInt.asUintN(160, memory.readWord(word)), 20)
}

/** Why the last frame halted; details of the opcode are in MESSAGE. */
function reasonOf(memory: WasmMemory, reason: number): string {
  const view = memory.view()
  return haltReason(reason, {
    opcode: view.getUint32(MESSAGE + 152, true),
    stackHeight: view.getUint32(MESSAGE + 156, true),
    stackNeed: view.getUint32(MESSAGE + 160, true),
  })
}

/** Host functions for the machine, which is created after them. */
export function tracingHost(
  { onStep, onEnter, onLeave, onLog, listener }: Hooks & { readonly listener?: StepListener },
  machine: () => Machine,
): Pick<CoreHost, 'step' | 'enterCall' | 'leaveCall' | 'logEmitted'> {
  return {
    step(depth, pc, opcode, gas, stack, stackHeight) {
      const { core, memory } = machine()
      listener?.step(core, memory, depth, pc, opcode, gas, stack, stackHeight)
      onStep?.({
        depth,
        pc,
        opcode,
        gas,
        // Read on demand: few hooks read every stack, fewer the memory.
        get stack() {
          return Array.from({ length: stackHeight }, (_, i) => memory.readWord(stack + i * 32))
        },
        get memory() {
          return memory.slice(core.frameMemory(), core.frameMemorySize())
        },
        get returnData() {
          return memory.slice(core.returnData(), core.returnDataLength())
        },
        get refund() {
          return core.refundCounter()
        },
      })
    },
    enterCall(opcode, from, to, value, input, inputLength, gas) {
      const { memory } = machine()
      onEnter?.({
        opcode,
        from: addressAt(memory, from),
        to: addressAt(memory, to),
        value: memory.readWord(value),
        input: memory.slice(input, inputLength),
        gas,
      })
    },
    leaveCall(end, reason, gasLeft, output, outputLength) {
      const { memory } = machine()
      const status = STATUS[end] ?? 'halt'
      onLeave?.({
        status,
        error:
          status === 'success'
            ? ''
            : status === 'revert'
              ? 'execution reverted'
              : reasonOf(memory, reason),
        gasLeft,
        output: memory.slice(output, outputLength),
      })
    },
    logEmitted(record, index) {
      onLog?.(readLog(machine().memory, record), index)
    },
  }
}
