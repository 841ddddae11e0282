// Loops of hot code in compiled form (src/evm/compiler). A compiled form is a function in the table: it goes on where the
// frame is for as long as it can, and leaves the frame where the interpreter has to go on. Only the interpreter ends
// frames and charges for what is rare, so both do the same at every gas.
import { codeOfBytes } from './code.as'
import { Frame } from './frames.as'
import { compile } from './host.as'

let isCompiling = false

/** Whether codes are compiled that use a slice of gas. */
export function setCompiling(isOn: bool): void {
  isCompiling = isOn
}

/** To be called when a frame has used its slice. Init code is not kept, so it is not worth it. */
export function considerCompiling(frame: Frame): void {
  if (!isCompiling || frame.isCreation) return
  const code = codeOfBytes(frame.code)
  const compiled = compile(frame.code, frame.codeLength, <u32>(frame.pc - frame.code), code.compiled)
  code.compiled = compiled
  frame.compiled = compiled
}

/** Goes on in the compiled form. The gas that is left, or a halt; the frame says where the interpreter goes on. */
@inline
export function runCompiled(frame: Frame, gas: i64): i64 {
  return call_indirect<i64>(frame.compiled, frame, gas)
}
