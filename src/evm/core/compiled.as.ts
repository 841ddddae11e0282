// Loops of hot code in compiled form (src/evm/compiler). A compiled form is a function in the table: it runs from the
// frame's current position as far as it can, and leaves the frame where the interpreter has to resume. Only the
// interpreter ends frames and charges for rare cases, so both behave the same at any gas.
import { codeOfBytes } from './code.as'
import { Frame } from './frames.as'
import { compile } from './host.as'

let isCompiling = false

/** Whether to compile codes that use up a slice of gas. */
export function setCompiling(isOn: bool): void {
  isCompiling = isOn
}

/** Must be called when a frame has used up its slice. Init code is not kept, so compiling it is not worthwhile. */
export function considerCompiling(frame: Frame): void {
  if (!isCompiling || frame.isCreation) return
  const code = codeOfBytes(frame.code)
  const compiled = compile(
    frame.code,
    frame.codeLength,
    <u32>(frame.pc - frame.code),
    code.compiled,
  )
  code.compiled = compiled
  frame.compiled = compiled
}

/** Continues in the compiled form. Returns the remaining gas, or a halt; the frame tells where the interpreter resumes. */
@inline
export function runCompiled(frame: Frame, gas: i64): i64 {
  return call_indirect<i64>(frame.compiled, frame, gas)
}
