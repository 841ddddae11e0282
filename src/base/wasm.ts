/** The part of WebAssembly that we use: TypeScript declares its types only for browsers. */

/** A compiled module; any number of instances may run it. */
export type WasmModule = object

/** The memory that a module exports. Growing the memory replaces its buffer. */
export type WasmMemory = { readonly buffer: ArrayBuffer }

/** A table of functions that a module exports. */
export type WasmTable = {
  /** Adds slots and returns the previous number of them. */
  grow(places: number): number
  set(index: number, value: unknown): void
}

type MemorySize = {
  readonly initial: number
  readonly maximum?: number
  readonly shared?: boolean
}

type Host = {
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown }
  readonly Memory: new (size: MemorySize) => WasmMemory
}

const { Module, Instance, Memory } = (globalThis as unknown as { WebAssembly: Host }).WebAssembly

/** Compiles a module that scripts/build.mjs wrote as base64. */
export function compileWasm(base64: string): WasmModule {
  const text = atob(base64)
  // A loop, because `Uint8Array.from` with a function is several times slower.
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  return new Module(bytes)
}

/** Compiles a module that was made at run time. */
export function compileWasmBytes(bytes: Uint8Array): WasmModule {
  return new Module(bytes)
}

/** A memory for a module that imports it; `pages` of 64 KiB to begin with. */
export function createWasmMemory(pages: number): WasmMemory {
  return new Memory({ initial: pages })
}

/** A memory that threads can share, which grows up to `maximum` pages. Its buffer is a SharedArrayBuffer. */
export function createSharedWasmMemory(pages: number, maximum: number): WasmMemory {
  return new Memory({ initial: pages, maximum, shared: true })
}

/** The exports of a new instance; the caller knows them from the module's source. */
export function instantiateWasm(module: WasmModule, imports: object = {}): unknown {
  return new Instance(module, imports).exports
}
