/** The engine in use. Everything outside knows it by the type `Engine` only. */
import { createEthereumjsEngine } from './ethereumjs/engine.ts'
import type { Hardfork } from './rules.ts'
import type { Engine } from './types.ts'

/** A new engine; it keeps no state between messages. */
export function createEngine(hardfork: Hardfork = 'osaka'): Engine {
  return createEthereumjsEngine(hardfork)
}
