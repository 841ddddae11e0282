/** Instances of the core: the module that scripts/build.mjs compiles from core/main.as.ts, and its seam. */
import { EVM_WASM } from '../../generated/evm.ts'

/** What the core exports (core/main.as.ts). */
export type Core = {
  readonly memory: { readonly buffer: ArrayBuffer }
  initialise(hardfork: number, seed: bigint): void
  begin(inputLength: number): number
  warmUpAddress(): void
  warmUpStorage(): void
  execute(): void
  reserve(size: number): number
  allocateReturnData(size: number): number
  writeEffects(): number
  effectsEnd(): number
  lastLog(): number
  heapTaken(): number
  setTracing(isOn: boolean): void
}

/** What the core imports (core/host.as.ts). */
export type CoreHost = {
  loadAccount(): number
  loadStorage(): void
  hasStorage(): number
  loadCode(): number
  copyCode(to: number): void
  blockHash(height: number): void
  runPrecompile(address: number, input: number, length: number, gas: bigint): bigint
  poll(): void
  step(
    depth: number,
    pc: number,
    opcode: number,
    gas: bigint,
    stack: number,
    stackHeight: number,
  ): void
}

type WasmHost = {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WasmHost }).WebAssembly
let compiled: object | undefined

/** A new instance. The module is compiled once per process. */
export function instantiateCore(host: CoreHost): Core {
  compiled ??= new Module(Uint8Array.from(atob(EVM_WASM), (char) => char.charCodeAt(0)))
  return new Instance(compiled, { host }).exports as Core
}
