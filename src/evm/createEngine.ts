/** The engine in use. Everything outside knows it by the type `Engine` only. */
import { createWasmEngine, type WasmEngine } from './wasm/engine.ts'
import type { EngineOptions } from './wasm/instance.ts'

/** A new engine; what it keeps between messages changes no result. */
export function createEngine(options: EngineOptions = {}): WasmEngine {
  return createWasmEngine(options)
}
