/** Creates the engine in use. Other code knows it only by the type `Engine`. */
import type { Engine } from './types.ts'
import { createWasmEngine } from './wasm/engine.ts'
import type { EngineOptions } from './wasm/instance.ts'

/** A new engine; what it caches between messages does not change any result. */
export function createEngine(options: EngineOptions = {}): Engine {
  return createWasmEngine(options)
}
