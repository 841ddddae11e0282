/**
 * vmTrace of OpenEthereum's trace module: per frame its code and its steps, the steps of what a step called nested in
 * `sub`. It is written as JSON bytes while the message runs, since it is about as long as struct logs are.
 *
 * A step is `{pc, cost, ex, sub}`. `cost` includes the gas that a call or creation passes on. `ex` describes the step's
 * result: the remaining gas (`used`), the words it pushed (`push`, for DUP and SWAP all they reach across, the top one
 * last), the memory it wrote or read (`mem`) and the slot it wrote (`store`). `ex` is null for a step that had too
 * little gas or that failed during execution. A step with missing operands or an unknown opcode is omitted, and so is
 * the STOP past the end of a code. `sub` is null where no code ran: transfers, precompiles, self-destructions.
 */
import { utf8 } from '../../base/bytes.ts'
import { createJsonBytes } from '../../base/jsonBytes.ts'
import type { EnteredCall, Hooks, LeftCall } from '../hooks.ts'
import type { TransitionResult } from '../transition.ts'
import type { Core } from '../wasm/core.ts'
import type { WasmMemory } from '../wasm/memory.ts'
import type { StepListener } from '../wasm/tracing.ts'
import { CREATE, CREATE2, SSTORE } from './opcodes.ts'
import type { TracerKind } from './tracer.ts'
import { memoryOperands, pushedWords } from './vmOperands.ts'

const WORD = 32
const STOP = 0x00
const JUMP = 0x56
const JUMPI = 0x57
const RETURN = 0xf3
const REVERT = 0xfd

/** Reasons (core/halts.as.ts) for which a step is not listed: too few or too many operands, an unknown opcode. */
const UNLISTED: ReadonlySet<number> = new Set([-3, -4, -5])
const OUT_OF_GAS: ReadonlySet<number> = new Set([-1, -2])

type Range = { readonly offset: number; readonly size: number }

/** A step that has begun; nothing is written before it is known whether it is listed, or whether it called something. */
type Pending = {
  readonly opcode: number
  readonly pc: number
  readonly gas: bigint
  cost: bigint
  readonly memory: Range | undefined
  readonly store: { readonly key: bigint; readonly value: bigint } | undefined
  /** Its `sub` is written. */
  hasSub: boolean
}

type Frame = { pending: Pending | undefined; count: number }

type Machine = { readonly core: Core; readonly memory: WasmMemory }

/** The memory range that a step reads or writes, if any; undefined if it can't be paid for. */
function rangeOf(words: (fromTop: number) => bigint, opcode: number): Range | undefined {
  const places = memoryOperands(opcode)
  if (places === undefined) return undefined
  const offset = words(places.offset)
  const size = places.size === undefined ? BigInt(places.fixed) : words(places.size)
  if (size === 0n || offset + size > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  return { offset: Number(offset), size: Number(size) }
}

/** Watches one message; `written` returns its trace, as chunks of ASCII JSON. */
function watchSteps(): {
  readonly listener: StepListener
  readonly hooks: Hooks
  written(outcome: TransitionResult): readonly Uint8Array[]
} {
  const json = createJsonBytes()
  const frames: Frame[] = []
  /** Number of open calls, with or without code. */
  let calls = 0

  function openFrame({ core, memory }: Machine): Frame {
    const caller = frames.at(-1)
    if (caller?.pending) {
      begin(caller, caller.pending)
      json.text(',"sub":')
      caller.pending.hasSub = true
    }
    json.text('{"code":"0x')
    json.hex(memory.bytes(), core.frameCode(), core.frameCode() + core.frameCodeLength())
    json.text('","ops":[')
    const frame: Frame = { pending: undefined, count: 0 }
    frames.push(frame)
    return frame
  }

  function begin(frame: Frame, { pc }: Pending): void {
    json.text(frame.count++ > 0 ? ',{"pc":' : '{"pc":')
    json.integer(pc)
  }

  /** Writes a step. `executed` writes its `ex`. */
  function settle(frame: Frame, executed: (step: Pending) => void): void {
    const step = frame.pending
    if (step === undefined) return
    frame.pending = undefined
    if (!step.hasSub) {
      begin(frame, step)
      json.text(',"sub":null')
    }
    json.text(',"cost":')
    json.integer(Number(step.cost))
    json.text(',"ex":')
    executed(step)
    json.text('}')
  }

  const writeNull = (): void => json.text('null')

  function writeExecuted(
    { memory: range, store }: Pending,
    used: bigint,
    push: readonly bigint[],
    machine: Machine | undefined,
  ): void {
    json.text('{"used":')
    json.integer(Number(used))
    json.text(',"push":[')
    for (const [index, word] of push.entries()) {
      json.text(index > 0 ? ',"' : '"')
      json.quantity(word)
      json.text('"')
    }
    json.text('],"mem":')
    if (range === undefined || machine === undefined) writeNull()
    else {
      const from = machine.core.frameMemory() + range.offset
      json.text(`{"off":${range.offset},"data":"0x`)
      json.hex(machine.memory.bytes(), from, from + range.size)
      json.text('"}')
    }
    json.text(',"store":')
    if (store === undefined) writeNull()
    else {
      json.text('{"key":"')
      json.quantity(store.key)
      json.text('","val":"')
      json.quantity(store.value)
      json.text('"}')
    }
    json.text('}')
  }

  /** Ends the last step of a frame, and the frame. */
  function closeFrame(isHalted: boolean, reason: number): void {
    const frame = frames.pop()
    if (frame === undefined) return
    const step = frame.pending
    if (step !== undefined) {
      const { opcode } = step
      // A creation can fail when its code is stored, after its last step.
      const isReturn = opcode === RETURN || opcode === REVERT || opcode === STOP
      const isTaken = !isHalted || (isReturn ? !OUT_OF_GAS.has(reason) : isJump(opcode, reason))
      if (isHalted && !isReturn && UNLISTED.has(reason)) frame.pending = undefined
      settle(frame, (given) =>
        isTaken ? writeExecuted(given, given.gas - given.cost, [], undefined) : writeNull(),
      )
    }
    json.text(']}')
  }

  function step(...[core, memory, depth, pc, opcode, gas, stack, height]: StepArguments): void {
    const machine = { core, memory }
    const frame = frames[depth] ?? openFrame(machine)
    const wordAt = (fromTop: number) => memory.readWord(stack + (height - 1 - fromTop) * WORD)
    settle(frame, (given) => {
      const pushed = pushedWords(given.opcode)
      const words = Array.from({ length: pushed }, (_, index) => wordAt(pushed - 1 - index))
      writeExecuted(given, gas, words, machine)
    })
    // Past the end of the code there are no steps.
    if (pc >= core.frameCodeLength()) return
    const hasOperands = height >= core.stackNeed(opcode)
    frame.pending = {
      opcode,
      pc,
      gas,
      cost: core.stepCost(opcode, height, gas),
      memory: hasOperands ? rangeOf(wordAt, opcode) : undefined,
      store: hasOperands && opcode === SSTORE ? { key: wordAt(0), value: wordAt(1) } : undefined,
      hasSub: false,
    }
  }

  let lastCore: Core | undefined
  return {
    listener: {
      step(...given) {
        lastCore = given[0]
        step(...given)
      },
      end: () => undefined,
    },
    hooks: {
      onEnter({ opcode, gas }: EnteredCall) {
        calls++
        const pending = frames.at(-1)?.pending
        if (pending && (opcode === CREATE || opcode === CREATE2)) pending.cost += gas
      },
      onLeave({ status }: LeftCall) {
        if (frames.length > calls) closeFrame(status === 'halt', lastCore?.lastHalt() ?? 0)
        calls--
      },
    },
    written({ status }) {
      if (frames.length === 0) return [utf8('{"code":"0x","ops":[]}')]
      closeFrame(status === 'halt', lastCore?.lastHalt() ?? 0)
      return json.pieces()
    },
  }
}

type StepArguments = Parameters<StepListener['step']>

/** Whether a jump was executed before its target turned out to be invalid. */
function isJump(opcode: number, reason: number): boolean {
  const isInvalidJump = reason === -6
  return isInvalidJump && (opcode === JUMP || opcode === JUMPI)
}

/** The tracer: chunks of ASCII JSON. */
export const vmTracer: TracerKind = {
  watchesSteps: false,
  listensToSteps: true,
  start() {
    const { listener, hooks, written } = watchSteps()
    return { listener, hooks, result: written }
  },
}
