/**
 * erc7562Tracer: the tree of calls, with what ERC-7562 restricts while a user operation (ERC-4337) is validated: opcodes,
 * storage, the code of other accounts, and the hashed data. Bundlers request it.
 */
import { bigintToFixedBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import type { Step } from '../hooks.ts'
import { encodeFrame } from './call.ts'
import { recordFrames, type CallFrame } from './frames.ts'
import { preimageOf } from './keccakPreimage.ts'
import { watchCode } from './liveCode.ts'
import {
  CALLCODE,
  DELEGATECALL,
  EXTCODECOPY,
  EXTCODEHASH,
  EXTCODESIZE,
  GAS,
  ISZERO,
  RETURN,
  REVERT,
  SLOAD,
  SSTORE,
  TLOAD,
  TSTORE,
} from './opcodes.ts'
import { addressOfWord, CALLS } from './touched.ts'
import type { TracedRun, Tracer, TracerKind } from './tracer.ts'

export type Erc7562TracerConfig = {
  /**
   * Opcodes that are not counted. By default these are arithmetic, comparisons, and opcodes that only move words on the
   * stack.
   */
  readonly ignoredOpcodes?: readonly number[] | undefined
  readonly withLog?: boolean | undefined
}

const POP = 0x50
const PUSH0 = 0x5f
const SWAP16 = 0x9f
/** ADD to DIV; LT to OR; NOT; SHL and SHR. */
const ON_WORDS = [0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19]
const IGNORED_BY_DEFAULT: readonly number[] = [
  ...ON_WORDS,
  0x1b,
  0x1c,
  POP,
  ...Array.from({ length: SWAP16 - PUSH0 + 1 }, (_, i) => PUSH0 + i),
]

const READS_CODE: ReadonlySet<number> = new Set([EXTCODECOPY, EXTCODEHASH, EXTCODESIZE])
const ON_STORAGE: ReadonlySet<number> = new Set([SLOAD, SSTORE, TLOAD, TSTORE])
const OUT_OF_GAS = /^out of gas|^contract creation code storage out of gas$/

type Counts = Record<string, number>

/** The frame's own activity, as written into its object. Slots, addresses and opcodes are keys in hex. */
type Seen = {
  readonly accessedSlots: {
    /** The value of a slot before the frame first read or wrote it. */
    readonly reads: Record<string, readonly string[]>
    readonly writes: Counts
    readonly transientReads: Counts
    readonly transientWrites: Counts
  }
  readonly extCodeAccessInfo: string[]
  readonly usedOpcodes: Counts
  readonly contractSize: Record<string, { readonly contractSize: number; readonly opcode: number }>
}

function nothingSeen(): Seen {
  return {
    accessedSlots: { reads: {}, writes: {}, transientReads: {}, transientWrites: {} },
    extCodeAccessInfo: [],
    usedOpcodes: {},
    contractSize: {},
  }
}

function count(counts: Counts, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

/** The account whose storage a frame uses. */
function selfOf({ opcode, from, to }: CallFrame): Uint8Array {
  return opcode === DELEGATECALL || opcode === CALLCODE ? from : to
}

function start(run: TracedRun, ignored: ReadonlySet<number>, withLog: boolean): Tracer {
  const { hooks, current, finish } = recordFrames(run)
  const code = watchCode(run)
  const seenBy = new Map<CallFrame, Seen>()
  const preimages = new Set<string>()
  /** The previous step, in any frame, with the account whose code it inspected. */
  let last: { readonly opcode: number; readonly address?: Uint8Array | undefined } | undefined
  /** Receives the value that the previous step has loaded: the word on top of the stack. */
  let loaded: ((value: bigint) => void) | undefined

  function seen(frame: CallFrame): Seen {
    const known = seenBy.get(frame) ?? nothingSeen()
    seenBy.set(frame, known)
    return known
  }

  /** Inspecting code is allowed if EXTCODESIZE is followed by ISZERO, and reading the gas right before a call. */
  function noteLast(frame: Seen, opcode: number): void {
    if (opcode === RETURN || opcode === REVERT) last = undefined
    if (last?.address !== undefined && !(last.opcode === EXTCODESIZE && opcode === ISZERO))
      frame.extCodeAccessInfo.push(toHex(last.address))
    if (last?.opcode === GAS && !CALLS.has(opcode)) count(frame.usedOpcodes, toQuantity(GAS))
  }

  function noteSize({ contractSize }: Seen, opcode: number, address: Uint8Array): void {
    contractSize[toHex(address)] ??= { contractSize: code.codeOf(address).length, opcode }
  }

  function noteSlot(frame: CallFrame, opcode: number, word: bigint): void {
    const { reads, writes, transientReads, transientWrites } = seen(frame).accessedSlots
    const key = bigintToFixedBytes(word, 32)
    const slot = toHex(key)
    if (opcode === SSTORE) count(writes, slot)
    else if (opcode === TLOAD) count(transientReads, slot)
    else if (opcode === TSTORE) count(transientWrites, slot)
    else if (!(slot in reads) && !(slot in writes)) {
      // Stays if there is not enough gas to load it.
      reads[slot] = [toHex(run.state.storage(selfOf(frame), key))]
      loaded = (value) => (reads[slot] = [toHex(bigintToFixedBytes(value, 32))])
    }
  }

  function onStep(step: Step): void {
    const { opcode } = step
    loaded?.(step.stack.at(-1) ?? 0n)
    loaded = undefined
    const frame = current()
    const readsCode = READS_CODE.has(opcode)
    noteLast(seen(frame), opcode)
    const target = readsCode ? step.stack.at(-1) : CALLS.has(opcode) ? step.stack.at(-2) : undefined
    const address = target === undefined ? undefined : addressOfWord(target)
    if (address !== undefined) noteSize(seen(frame), opcode, address)
    if (opcode !== GAS && !ignored.has(opcode)) count(seen(frame).usedOpcodes, toQuantity(opcode))
    const slot = ON_STORAGE.has(opcode) ? step.stack.at(-1) : undefined
    if (slot !== undefined) noteSlot(frame, opcode, slot)
    const preimage = preimageOf(step)
    if (preimage !== undefined) preimages.add(toHex(preimage))
    last = { opcode, address: readsCode ? address : undefined }
  }

  return {
    hooks: {
      onStep,
      onEnter(call) {
        code.hooks.onEnter?.(call)
        hooks.onEnter?.(call)
      },
      onLeave(call) {
        loaded = undefined
        code.hooks.onLeave?.(call)
        hooks.onLeave?.(call)
      },
      onLog: withLog ? hooks.onLog : undefined,
    },
    result(outcome) {
      const root = finish(outcome)
      // Hex texts sort in the order of their bytes.
      const keccak = [...preimages].toSorted()
      return encodeFrame(root, (frame) => ({
        ...seen(frame),
        outOfGas: frame !== root && OUT_OF_GAS.test(frame.error),
        ...(frame === root && keccak.length > 0 && { keccak }),
      }))
    },
  }
}

/** The tracer. */
export function erc7562Tracer(config: Erc7562TracerConfig): TracerKind {
  const ignored = new Set(config.ignoredOpcodes ?? IGNORED_BY_DEFAULT)
  return {
    watchesSteps: true,
    start: (run) => start(run, ignored, config.withLog === true),
  }
}
