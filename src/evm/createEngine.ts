/** The engine in use. Everything outside knows it by the type `Engine` only. */
import type { Engine } from './types.ts'
import { createWasmEngine } from './wasm/engine.ts'
import type { EngineOptions } from './wasm/instance.ts'

/** A new engine; what it keeps between messages changes no result. */
export function createEngine(options: EngineOptions = {}): Engine {
  return createWasmEngine(options)
}
