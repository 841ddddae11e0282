// Call frames. They stand in a row; the engine runs the last one and never recurses, neither here nor in the host, so
// 1,024 calls deep are as good as one.
import { Account } from './accounts.as'
import { Code } from './code.as'
import { outOfMemory } from './host.as'
import { journalEnd, openScope } from './journal.as'
import { ARENA_END, FRAMES } from './layout.as'
import { lastLog, logCount } from './logs.as'
import { refundCounter } from './storage.as'

/** How `interpret` ends. */
export const RETURNED: i32 = 0
export const REVERTED: i32 = 1
export const HALTED: i32 = 2
/** Another frame is the last one now. */
export const SWITCHED: i32 = 3
/** The frame has used its slice of gas and wants to go on. */
export const PAUSED: i32 = 4

/** A call below this depth is refused. */
export const MAX_DEPTH: u32 = 1024

@unmanaged
export class Frame {
  gas: i64
  /** The host is asked whether to go on when the gas is below. */
  pause: i64
  /** The next instruction, the first free place on the stack, and the stack's begin: addresses. */
  pc: usize
  sp: usize
  stack: usize
  code: usize
  codeLength: u32
  jumpTable: usize
  /** EVM memory: its address, and how many bytes are in use (whole words). */
  memory: usize
  memorySize: u32
  input: usize
  inputLength: u32
  /** The account whose storage and balance the code works on. */
  self: Account
  depth: u32
  isStatic: u32
  isCreation: u32
  /** Where the caller wants the output: offset in its memory and room there. */
  outputOffset: u32
  outputRoom: u32
  /** What the frame gives back: address and length. */
  output: usize
  outputLength: u32
  /** What a revert goes back to. */
  scope: u32
  journal: usize
  log: usize
  logs: u32
  refund: i64
  caller0: u64; caller1: u64; caller2: u64; caller3: u64
  value0: u64; value1: u64; value2: u64; value3: u64
  /** The compiled form of the code (compiled.as.ts), or 0. */
  compiled: u32
}

@inline
export function callerOf(frame: Frame): usize {
  return changetype<usize>(frame) + offsetof<Frame>("caller0")
}

@inline
export function valueOf(frame: Frame): usize {
  return changetype<usize>(frame) + offsetof<Frame>("value0")
}

let current: usize = 0

/** The frame that runs. */
export function currentFrame(): Frame {
  return changetype<Frame>(current)
}

export function setCurrentFrame(frame: Frame): void {
  current = changetype<usize>(frame)
}

let openingCost: i64 = 0

/** Notes what a call or creation costs beyond its static gas: for a call with the gas it hands over, without a stipend. */
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
 * Opens a frame and makes it the current one. Its memory begins at `memory`. The changes that follow, the transfer of the
 * value among them, belong to it. Caller, value, code, input, gas and output are for the opener to set.
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

/** Gives a frame a code that is kept. */
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

/** Makes sure that memory reaches `end`. False when it must not. */
export function commit(end: usize): bool {
  if (end > ARENA_END) return false
  const have = <usize>memory.size() << 16
  if (end <= have) return true
  const want = end - have + 0xfffff
  if (memory.grow(<i32>(want >> 16)) < 0 && memory.grow(<i32>((end - have + 0xffff) >> 16)) < 0) outOfMemory()
  return true
}
