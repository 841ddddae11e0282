/** Instances of the core: the module that scripts/build.mjs compiles from core/main.as.ts, and its interface. */
import {
  compileWasm,
  instantiateWasm,
  type WasmMemory,
  type WasmModule,
  type WasmTable,
} from '../../base/wasm.ts'
import { EVM_WASM } from '../../generated/evm.ts'

/** The core's exports (core/main.as.ts). */
export type Core = {
  readonly memory: WasmMemory
  readonly table: WasmTable
  initialise(hardfork: number, seed: bigint): void
  begin(inputLength: number): number
  /** For this message, puts the precompile with this number at the address at EXCHANGE; 0 is none. */
  movePrecompile(number: number): void
  setKnownState(state: number): void
  warmUpAddress(): void
  warmUpStorage(): void
  execute(): void
  reserve(size: number): number
  reserveWithCodes(size: number): number
  allocateReturnData(size: number): number
  writeEffects(): number
  effectsEnd(): number
  lastLog(): number
  heapTaken(): number
  setCompiling(isOn: boolean): void
  setTracing(isOn: boolean): void
  setPolling(gas: bigint, frameCount: number): void
  setCallTracing(isOn: boolean): void
  // For tracers, between two steps.
  refundCounter(): bigint
  returnData(): number
  returnDataLength(): number
  frameMemory(): number
  frameMemorySize(): number
  frameAddress(): number
  callerGas(): bigint
  lastOpeningCost(): bigint
  lastHalt(): number
  staticGas(opcode: number): number
  stackNeed(opcode: number): number
  frameCode(): number
  frameCodeLength(): number
  stepCost(opcode: number, stackHeight: number, gas: bigint): bigint
  // For the tracer that writes struct logs (core/stepText.as.ts).
  opcodeTexts(): number
  stepText(): number
  stepTextLength(): number
  resetStepText(): void
  beginStep(
    cost: number,
    pc: number,
    opcode: number,
    gas: number,
    depth: number,
    stack: number,
    stackHeight: number,
    kept: number,
  ): number
  endStep(cost: number): void
}

/** The core's imports (core/host.as.ts). */
export type CoreHost = {
  loadAccount(): number
  loadStorage(): void
  hasStorage(): number
  loadCode(): number
  copyCode(to: number): void
  blockHash(height: number): void
  runPrecompile(address: number, input: number, length: number, gas: bigint): bigint
  outOfMemory(): void
  poll(): void
  compile(code: number, length: number, offset: number, known: number): number
  step(
    depth: number,
    pc: number,
    opcode: number,
    gas: bigint,
    stack: number,
    stackHeight: number,
  ): void
  enterCall(
    opcode: number,
    from: number,
    to: number,
    value: number,
    input: number,
    inputLength: number,
    gas: bigint,
  ): void
  leaveCall(
    end: number,
    reason: number,
    gasLeft: bigint,
    output: number,
    outputLength: number,
  ): void
  logEmitted(record: number, index: number): void
}

let compiled: WasmModule | undefined

/** A new instance. The module is compiled once per process. */
export function instantiateCore(host: CoreHost): Core {
  compiled ??= compileWasm(EVM_WASM)
  return instantiateWasm(compiled, { host }) as Core
}
