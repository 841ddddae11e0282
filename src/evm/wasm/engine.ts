/** The engine on the WebAssembly core (src/evm/core): an instance per fork, one message at a time, synchronously. */
import type { Hardfork } from '../rules.ts'
import type {
  BlockEnvironment,
  Engine,
  Message,
  Outcome,
  OutcomeScope,
  StateView,
} from '../types.ts'
import { createInstance, type EngineOptions, type Instance } from './instance.ts'
import { ARENA } from './memory.ts'
import { writeMessage } from './message.ts'
import { readOutcome } from './outcome.ts'

const MOST_KEPT = 64 << 20

function takenBy({ core, memory }: Instance): number {
  return Math.max(core.heapTaken(), memory.bytes().length - ARENA)
}

/** A new engine. Between messages it caches codes by their hash, and slots of an unchanged state. */
export function createWasmEngine(options: EngineOptions = {}): Engine {
  const { mostKept = MOST_KEPT } = options
  const idle = new Map<Hardfork, Instance | undefined>()

  /** Errors thrown by the state view or `poll` propagate from here, with no effects. */
  function execute(
    message: Message,
    block: BlockEnvironment,
    state: StateView,
    scope: OutcomeScope = 'everything',
  ): Outcome {
    const { hardfork } = block
    // While a message runs, its instance is not shared: a state view may run messages itself.
    const instance = idle.get(hardfork) ?? createInstance(hardfork, options)
    // Not deleted: a map that becomes empty with every message would be reallocated each time.
    idle.set(hardfork, undefined)
    instance.open(state)
    const target = writeMessage(instance, message, block)
    instance.core.execute()
    const outcome = readOutcome(instance, message, target, scope)
    options.listener?.end(instance.core, instance.memory, message.gasLimit - outcome.gasUsed)
    if (takenBy(instance) <= mostKept) idle.set(hardfork, instance)
    return outcome
  }

  return { execute }
}
