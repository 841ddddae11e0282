// The struct logs of a message as JSON text: the part that is common to all steps. The host adds what only some steps
// have (storage, errors), and the cost of a step: tracers/structLog.ts.
import { ascii, decimal, hexOf16 } from '../../base/text.as'
import { OPCODE_TEXTS, STACK_ENDS, STACK_TEXT, STEP_TEXT } from './layout.as'
import { refundCounter } from './storage.as'

/** Size of an opcode's text in bytes; the first one is its length. */
const OPCODE_TEXT: usize = 64

const SSTORE: u32 = 0x55

let end: usize = STEP_TEXT

/** Where the host writes 64 bytes for each opcode: a length, and the text between the program counter and the gas. */
export function opcodeTexts(): usize {
  return OPCODE_TEXTS
}

/** Start of the text written since the last reset. */
export function stepText(): usize {
  return STEP_TEXT
}

/** Length of that text. */
export function stepTextLength(): u32 {
  return <u32>(end - STEP_TEXT)
}

export function resetStepText(): void {
  end = STEP_TEXT
}

const word: usize = memory.data(128, 16)

/** The bytes of a vector in reverse order. */
@inline
function reversed(bytes: v128): v128 {
  return v128.shuffle<u8>(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
}

/** Writes a word of the stack: quotes, 0x, digits without leading zeros. Returns the address of its end. */
function writeWord(to: usize, from: usize): usize {
  const low = load<u64>(from)
  const second = load<u64>(from, 8)
  const third = load<u64>(from, 16)
  const high = load<u64>(from, 24)
  hexOf16(word + 32, reversed(v128.load(from)))
  let zeros: i64
  if ((third | high) == 0) zeros = 32 + (second != 0 ? clz(second) >> 2 : 16 + (clz(low | 1) >> 2))
  else {
    hexOf16(word, reversed(v128.load(from, 16)))
    zeros = high != 0 ? clz(high) >> 2 : 16 + (clz(third) >> 2)
  }
  const digits = ascii(to, '"0x')
  const length = <usize>(64 - zeros)
  for (let at: usize = 0; at < length; at += 16)
    v128.store(digits + at, v128.load(word + <usize>zeros + at))
  store<u8>(digits + length, 0x22)
  return digits + length + 1
}

/**
 * Writes the words of a stack, with commas. A step changes few of them: the lowest `kept` are unchanged since the last
 * time, so their text is reused.
 */
function writeStack(to: usize, stack: usize, height: u32, kept: u32): usize {
  let at = kept == 0 ? STACK_TEXT : <usize>load<u32>(STACK_ENDS + ((kept - 1) << 2))
  for (let index = kept; index < height; index++) {
    if (index > 0) store<u8>(at++, 0x2c)
    at = writeWord(at, stack + ((<usize>index) << 5))
    store<u32>(STACK_ENDS + (index << 2), <u32>at)
  }
  const length = at - STACK_TEXT
  memory.copy(to, STACK_TEXT, length)
  return to + length
}

/** Ends the log of a step with its cost. */
export function endStep(cost: f64): void {
  end = ascii(end, ',"gasCost":')
  end = ascii(decimal(end, <u64>cost), '}')
}

/**
 * Ends the previous log and begins that of a step; the previous cost is negative for the first step. `stack` is 0 if no
 * stack is requested. Returns the length of the text.
 */
export function beginStep(
  cost: f64,
  pc: u32,
  opcode: u32,
  gas: f64,
  depth: u32,
  stack: usize,
  height: u32,
  kept: u32,
): u32 {
  if (cost >= 0) {
    endStep(cost)
    store<u8>(end++, 0x2c)
  }
  let at = decimal(ascii(end, '{"pc":'), pc)
  const text = OPCODE_TEXTS + <usize>opcode * OPCODE_TEXT
  const length = <usize>load<u8>(text)
  for (let i: usize = 0; i < length; i += 16) v128.store(at + i, v128.load(text + 1 + i))
  at = decimal(at + length, <u64>gas)
  at = decimal(ascii(at, ',"depth":'), depth)
  if (stack != 0) at = ascii(writeStack(ascii(at, ',"stack":['), stack, height, kept), ']')
  const refund = refundCounter()
  // SSTORE changes it: the host learns by how much when the step has ended.
  if (refund > 0 && opcode != SSTORE) at = decimal(ascii(at, ',"refund":'), refund)
  end = at
  return stepTextLength()
}
