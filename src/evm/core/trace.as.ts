// What the host is told of the calls within a message, when it wants to know: entered, left, logged. The outermost frame
// is the host's own to tell. Off, this costs a test per call.
import { enterCall, leaveCall, logEmitted } from './host.as'

let isOn = false

export function setCallTracing(on: bool): void {
  isOn = on
}

/** A call, a creation or a self-destruction begins. `from`, `to` and `value` are addresses of words. */
@inline
export function traceEnter(opcode: u32, from: usize, to: usize, value: usize, input: usize, inputLength: u32, gas: i64): void {
  if (isOn) enterCall(opcode, from, to, value, input, inputLength, gas)
}

/** It has ended: how (frames.as.ts), why (halts.as.ts), with how much gas left, and with which output. */
@inline
export function traceLeave(end: i32, reason: i64, gasLeft: i64, output: usize, outputLength: u32): void {
  if (isOn) leaveCall(end, <i32>reason, gasLeft, output, outputLength)
}

/** A log was emitted: the last record (logs.as.ts). */
@inline
export function traceLog(record: usize, index: u32): void {
  if (isOn) logEmitted(record, index)
}
