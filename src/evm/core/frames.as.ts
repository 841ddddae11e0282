// Call frames, stored consecutively. The engine runs the last one and never recurses, neither here nor in the host, so
// a depth of 1,024 calls is as safe as one.
import { Account } from './accounts.as'
import { Code } from './code.as'
import { outOfMemory } from './host.as'
import { journalEnd, openScope } from './journal.as'
import { ARENA_END, FRAMES } from './layout.as'
import { lastLog, logCount } from './logList.as'
import { refundCounter } from './storage.as'

/** How `interpret` ends. */
export const RETURNED: i32 = 0
export const REVERTED: i32 = 1
export const HALTED: i32 = 2
/** Another frame is now the last one. */
export const SWITCHED: i32 = 3
/** The frame has used up its slice of gas and is not finished. */
export const PAUSED: i32 = 4

/** A call below this depth is refused. */
export const MAX_DEPTH: u32 = 1024

@unmanaged
export class Frame {
  gas: i64
  /** Below this gas the host is polled. */
  pause: i64
  /** The next instruction, the first free slot of the stack, and the start of the stack: addresses. */
  pc: usize
  sp: usize
  stack: usize
  code: usize
  codeLength: u32
  jumpTable: usize
  /** EVM memory: its address, and the number of bytes in use (whole words). */
  memory: usize
  memorySize: u32
  input: usize
  inputLength: u32
  /** The account whose storage and balance the code uses. */
  self: Account
  depth: u32
  isStatic: u32
  isCreation: u32
  /** Where the caller expects the output: offset and size in its memory. */
  outputOffset: u32
  outputRoom: u32
  /** The frame's output: address and length. */
  output: usize
  outputLength: u32
  /** The scope that a revert undoes to. */
  scope: u32
  journal: usize
  log: usize
  logs: u32
  refund: i64
  caller0: u64
  caller1: u64
  caller2: u64
  caller3: u64
  value0: u64
  value1: u64
  value2: u64
  value3: u64
  /** The compiled form of the code (compiled.as.ts), or 0. */
  compiled: u32
}

@inline
export function callerOf(frame: Frame): usize {
  return changetype<usize>(frame) + offsetof<Frame>('caller0')
}

@inline
export function valueOf(frame: Frame): usize {
  return changetype<usize>(frame) + offsetof<Frame>('value0')
}

let current: usize = 0

/** The running frame. */
export function currentFrame(): Frame {
  return changetype<Frame>(current)
}

export function setCurrentFrame(frame: Frame): void {
  current = changetype<usize>(frame)
}

let openingCost: i64 = 0

/**
 * Records the cost of a call or creation beyond its static gas: for a call including the gas passed on, without a
 * stipend.
 */
@inline
export function noteOpeningCost(cost: i64): void {
  openingCost = cost
}

/** For tracers: the cost of the last call or creation. */
export function lastOpeningCost(): i64 {
  return openingCost
}

/** The frame that called this one. */
export function callerFrame(frame: Frame): Frame {
  return changetype<Frame>(changetype<usize>(frame) - offsetof<Frame>())
}

/**
 * Opens a frame and makes it the current one. Its memory begins at `memory`. Subsequent changes, including the transfer
 * of the value, belong to it. The caller sets caller, value, code, input, gas and output.
 */
export function openFrame(depth: u32, self: Account, stack: usize, base: usize): Frame {
  const frame = changetype<Frame>(FRAMES + depth * offsetof<Frame>())
  frame.depth = depth
  frame.self = self
  frame.stack = stack
  frame.sp = stack
  frame.memory = (base + 31) & ~31
  frame.memorySize = 0
  frame.outputLength = 0
  frame.journal = journalEnd()
  frame.log = lastLog()
  frame.logs = logCount()
  frame.refund = refundCounter()
  frame.scope = openScope()
  setCurrentFrame(frame)
  return frame
}

/** Sets a frame's code to one that is kept. */
export function setCode(frame: Frame, code: Code): void {
  frame.code = code.bytes
  frame.codeLength = code.length
  frame.jumpTable = code.jumps()
  frame.pc = code.bytes
  frame.compiled = code.compiled
}

/** The first address above a frame's memory. */
@inline
export function topOf(frame: Frame): usize {
  return frame.memory + frame.memorySize
}

/** Makes sure that memory reaches `end`. Returns false if that is not allowed. */
export function commit(end: usize): bool {
  if (end > ARENA_END) return false
  const have = (<usize>memory.size()) << 16
  if (end <= have) return true
  const want = end - have + 0xfffff
  if (memory.grow(<i32>(want >> 16)) < 0 && memory.grow(<i32>((end - have + 0xffff) >> 16)) < 0)
    outOfMemory()
  return true
}
