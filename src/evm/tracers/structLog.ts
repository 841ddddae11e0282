/**
 * go-ethereum's default tracer: one struct log per step, written as JSON bytes while the message runs. 150,000 steps
 * make some 30 MB; as objects they would take ten times the time and memory. The part common to all steps is written by
 * the core itself (core/stepText.as.ts), the rest and the cost of a step here.
 *
 * The members of a log are go-ethereum's. `gasCost` comes last, because it is known only when the next step begins. For
 * a step that ran out of gas it is what the step would have cost, as far as go-ethereum computes it.
 *
 * `step` has more than five parameters, which are the core's (evm/wasm/tracing.ts): no object is made for a step.
 */
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { createJsonBytes } from '../../base/jsonBytes.ts'
import type { Core } from '../wasm/core.ts'
import type { StepListener } from '../wasm/tracing.ts'
import type { WasmMemory } from '../wasm/memory.ts'
import { haltReason } from '../wasm/reasons.ts'
import { opcodeName } from './opcodes.ts'
import type { TracerKind } from './tracer.ts'

/** Contents of the logs, as options of debug_traceTransaction. */
export type StructLogOptions = {
  readonly enableMemory?: boolean | undefined
  readonly disableStack?: boolean | undefined
  readonly disableStorage?: boolean | undefined
  readonly enableReturnData?: boolean | undefined
  /** Maximum number of logged steps; 0 logs all. */
  readonly limit?: number | undefined
}

export type StructLogTracer = {
  /** For the engine that runs one message. */
  readonly listener: StepListener
  /** The list of logs, as chunks of ASCII JSON. Must be called once, when the message has ended. */
  logs(): readonly Uint8Array[]
}

const WORD = 32
const STOP = 0x00
const SLOAD = 0x54
const SSTORE = 0x55
const CREATE = 0xf0
const CALL = 0xf1
const CALLCODE = 0xf2
const RETURN = 0xf3
const DELEGATECALL = 0xf4
const CREATE2 = 0xf5
const STATICCALL = 0xfa
const REVERT = 0xfd
const SELFDESTRUCT = 0xff

const OPENING: ReadonlySet<number> = new Set([
  CREATE,
  CALL,
  CALLCODE,
  DELEGATECALL,
  CREATE2,
  STATICCALL,
])

const LOG0 = 0xa0
const LOG4 = 0xa4
/** What go-ethereum charges before it looks at the operands, where the core's static gas is none. */
const CALL_STATIC = 100
const ACCOUNT_READERS: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f])
/** Opcodes whose whole price depends on their operands or the state. */
const PRICED: ReadonlySet<number> = new Set([
  0x0a,
  0x20,
  0x37,
  0x39,
  0x3e,
  0x51,
  0x52,
  0x53,
  SLOAD,
  SSTORE,
  0x5e,
  LOG0,
  0xa1,
  0xa2,
  0xa3,
  LOG4,
  ...ACCOUNT_READERS,
])

/** Reasons that go-ethereum detects before a step, and writes into its log. The others only end the frame. */
const FOUND_BEFORE: ReadonlySet<number> = new Set([-1, -2, -3, -4, -18])

/** The core's text is fetched once it reaches this length. */
const FULL = 192 * 1024

/** Size of an opcode's text in the core in bytes; the first one is its length. */
const OPCODE_TEXT = 64

const prepared = new WeakSet<Core>()

/** Passes the names of the opcodes to a core, once. */
function prepare(core: Core, bytes: Uint8Array): void {
  if (prepared.has(core)) return
  prepared.add(core)
  for (let opcode = 0; opcode < 256; opcode++) {
    const text = utf8(`,"op":"${opcodeName(opcode)}","gas":`)
    const at = core.opcodeTexts() + opcode * OPCODE_TEXT
    bytes[at] = text.length
    bytes.set(text, at + 1)
  }
}

/** The bytes of a word, most significant first, as 64 hex digits. */
function hexOfWord(bytes: Uint8Array, at: number): string {
  let digits = ''
  for (let i = at + WORD - 1; i >= at; i--)
    digits += (bytes[i] as number).toString(16).padStart(2, '0')
  return digits
}

function memoryGas(words: number): number {
  return 3 * words + Math.floor((words * words) / 512)
}

/** A tracer for one message. */
export function createStructLogTracer(options: StructLogOptions = {}): StructLogTracer {
  const { enableMemory, disableStack, disableStorage, enableReturnData, limit = 0 } = options
  const json = createJsonBytes()
  const storages = new Map<string, Map<string, string>>()
  let count = 0

  // Whether the last step's log has not been ended yet.
  let isPending = false
  let opcode = STOP
  let depth = 0
  let gas = 0
  let height = 0
  /** The gas of the caller while the pending step's frame runs. */
  let callerGas = 0
  /** The memory cost of RETURN and REVERT. */
  let expansion = 0
  /** The whole cost of an opcode that is priced by its operands. */
  let foretold = 0
  let account = ''
  let slot = ''
  let value = ''

  /** Fetches the text that the core has written so far; further text follows it. */
  function fetch(core: Core, bytes: Uint8Array): void {
    const from = core.stepText()
    json.bytes(bytes.subarray(from, from + core.stepTextLength()))
    core.resetStepText()
  }

  function writeMemory(core: Core, bytes: Uint8Array): void {
    const from = core.frameMemory()
    const size = core.frameMemorySize()
    if (size === 0) return
    json.text(',"memory":[')
    for (let at = from; at < from + size; at += WORD) {
      json.text(at === from ? '"0x' : '","0x')
      json.hex(bytes, at, at + WORD)
    }
    json.text('"]')
  }

  function writeReturnData(core: Core, bytes: Uint8Array): void {
    const from = core.returnData()
    const size = core.returnDataLength()
    if (size === 0) return
    json.text(',"returnData":"0x')
    json.hex(bytes, from, from + size)
    json.text('"')
  }

  /** Remembers what the end of an opcode needs from its beginning. */
  function remember(core: Core, bytes: Uint8Array, stack: number): void {
    const top = stack + (height - 1) * WORD
    foretold = PRICED.has(opcode) ? Number(core.stepCost(opcode, height, BigInt(gas))) : 0
    if (opcode === SLOAD || opcode === SSTORE) {
      if (height < 2 && (opcode === SSTORE || height < 1)) return
      account = hexOfWord(bytes, core.frameAddress())
      slot = hexOfWord(bytes, top)
      value = opcode === SSTORE ? hexOfWord(bytes, top - WORD) : ''
    } else if (opcode === SELFDESTRUCT) callerGas = Number(core.callerGas())
    else if ((opcode === RETURN || opcode === REVERT) && height >= 2) {
      const size = Number(`0x${hexOfWord(bytes, top - WORD)}`)
      const words = Math.ceil((Number(`0x${hexOfWord(bytes, top)}`) + size) / WORD)
      const inUse = core.frameMemorySize() / WORD
      expansion = size > 0 && words > inUse ? memoryGas(words) - memoryGas(inUse) : 0
    }
  }

  function writeStorage(core: Core, bytes: Uint8Array): void {
    const storage = storages.get(account) ?? new Map<string, string>()
    storages.set(account, storage)
    storage.set(slot, value)
    const entries = Array.from(storage, ([key, held]) => `"0x${key}":"0x${held}"`)
    fetch(core, bytes)
    json.text(`,"storage":{${entries.join(',')}}`)
  }

  /** For an SSTORE step the counter includes that step's own refund. */
  function writeRefund(core: Core, bytes: Uint8Array): void {
    const refund = core.refundCounter()
    if (refund === 0n) return
    fetch(core, bytes)
    json.text(`,"refund":${refund}`)
  }

  /**
   * The cost of a step that left its frame running: `left` is the gas of the frame that runs now, this one or one that
   * the step opened.
   */
  function costInside(
    core: Core,
    bytes: Uint8Array,
    left: number,
    newDepth: number,
    top: number,
  ): number {
    if (disableStorage !== true && newDepth === depth) {
      if (opcode === SLOAD) value = hexOfWord(bytes, top)
      if (opcode === SLOAD || opcode === SSTORE) writeStorage(core, bytes)
    }
    if (opcode === SSTORE) writeRefund(core, bytes)
    return OPENING.has(opcode)
      ? core.staticGas(opcode) + Number(core.lastOpeningCost())
      : gas - left
  }

  /** The cost of a step that failed: go-ethereum stops at the first part of it that the gas cannot pay for. */
  function costFailed(core: Core): number {
    if (OPENING.has(opcode) && opcode !== CREATE && opcode !== CREATE2) return CALL_STATIC
    const isLog = opcode >= LOG0 && opcode <= LOG4
    const fixed = ACCOUNT_READERS.has(opcode) ? CALL_STATIC : core.staticGas(opcode)
    return PRICED.has(opcode) && (isLog || gas >= fixed) ? foretold : fixed
  }

  /** The cost of the last step of a frame, which returned `left` gas. */
  function costOutside(core: Core, bytes: Uint8Array, left: number, isFailed: boolean): number {
    if (opcode === STOP) return 0
    if ((opcode === RETURN || opcode === REVERT) && height >= 2 && expansion <= gas)
      return expansion
    if (opcode === SELFDESTRUCT && !isFailed) return gas - left
    const reason = core.lastHalt()
    if (FOUND_BEFORE.has(reason)) {
      const at = { opcode, stackHeight: height, stackNeed: core.stackNeed(opcode) }
      fetch(core, bytes)
      json.text(`,"error":"${haltReason(reason, at)}"`)
    }
    if (opcode === SSTORE && height >= 2 && disableStorage !== true) writeStorage(core, bytes)
    return costFailed(core)
  }

  /** Ends the last log. */
  function finish(core: Core, bytes: Uint8Array, cost: number): void {
    core.endStep(cost)
    fetch(core, bytes)
    isPending = false
  }

  return {
    listener: {
      step(core, memory, newDepth, pc, newOpcode, newGas, stack, newHeight) {
        if (!isPending && limit > 0 && count >= limit) return
        const bytes = memory.bytes()
        let cost = -1
        if (isPending) {
          const top = stack + (newHeight - 1) * WORD
          cost =
            newDepth >= depth
              ? costInside(core, bytes, Number(newGas), newDepth, top)
              : costOutside(core, bytes, Number(newGas) - callerGas, isZero(bytes, top))
          if (limit > 0 && count >= limit) return finish(core, bytes, cost)
        } else {
          prepare(core, bytes)
          core.resetStepText()
        }
        // Words below those that the last step took are unchanged, unless another frame has begun.
        const isSameFrame = isPending && newDepth === depth
        const kept = isSameFrame ? Math.min(height - core.stackNeed(opcode), newHeight) : 0
        opcode = newOpcode
        depth = newDepth
        gas = Number(newGas)
        height = newHeight
        const shownStack = disableStack === true ? 0 : stack
        // The outermost frame has depth 1 for go-ethereum's users.
        const length = core.beginStep(cost, pc, opcode, gas, depth + 1, shownStack, height, kept)
        if (length > FULL || enableReturnData === true || enableMemory === true) fetch(core, bytes)
        if (enableReturnData === true) writeReturnData(core, bytes)
        if (enableMemory === true) writeMemory(core, bytes)
        remember(core, bytes, stack)
        isPending = true
        count++
      },
      end(core: Core, memory: WasmMemory, gasLeft: bigint) {
        if (!isPending) return
        const bytes = memory.bytes()
        finish(core, bytes, costOutside(core, bytes, Number(gasLeft), gasLeft === 0n))
      },
    },
    logs: () => [utf8('['), ...json.pieces(), utf8(']')],
  }
}

function isZero(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + WORD; i++) if (bytes[i] !== 0) return false
  return true
}

/**
 * The default tracer: `{gas, failed, returnValue, structLogs}`, where `gas` is the gas that the transaction paid for
 * and `returnValue` its output or revert data. Its result is already serialized: chunks of ASCII JSON.
 */
export function structLogTracer(options: StructLogOptions): TracerKind {
  return {
    watchesSteps: false,
    listensToSteps: true,
    start() {
      const { listener, logs } = createStructLogTracer(options)
      return {
        hooks: {},
        listener,
        result({ status, output, gasUsed }): readonly Uint8Array[] {
          const head = `{"gas":${gasUsed},"failed":${status !== 'success'},"returnValue":"${toHex(output)}","structLogs":`
          return [utf8(head), ...logs(), utf8('}')]
        },
      }
    },
  }
}
