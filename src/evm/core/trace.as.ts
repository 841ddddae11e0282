// Reports the calls within a message to the host on request: entered, left, logged. The host itself reports the
// outermost frame. When off, this costs one test per call.
import { enterCall, leaveCall, logEmitted } from './host.as'

let isOn = false

export function setCallTracing(on: bool): void {
  isOn = on
}

/** Reports that a call, a creation or a self-destruction begins. `from`, `to` and `value` are addresses of words. */
@inline
export function traceEnter(
  opcode: u32,
  from: usize,
  to: usize,
  value: usize,
  input: usize,
  inputLength: u32,
  gas: i64,
): void {
  if (isOn) enterCall(opcode, from, to, value, input, inputLength, gas)
}

/** Reports its end: how (frames.as.ts), why (halts.as.ts), the remaining gas, and the output. */
@inline
export function traceLeave(
  end: i32,
  reason: i64,
  gasLeft: i64,
  output: usize,
  outputLength: u32,
): void {
  if (isOn) leaveCall(end, <i32>reason, gasLeft, output, outputLength)
}

/** Reports an emitted log: the last record (logs.as.ts). */
@inline
export function traceLog(record: usize, index: u32): void {
  if (isOn) logEmitted(record, index)
}
