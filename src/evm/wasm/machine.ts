/** The core with its memory. */
import type { Core } from './core.ts'
import type { WasmMemory } from './memory.ts'

export type Machine = { readonly core: Core; readonly memory: WasmMemory }
