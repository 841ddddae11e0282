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

/** A new engine. Between messages it keeps codes by their hash, and slots of a state that stays the same. */
export function createWasmEngine(options: EngineOptions = {}): Engine {
  const { mostKept = MOST_KEPT } = options
  const idle = new Map<Hardfork, Instance | undefined>()

  /** What the state view or `poll` throw comes out of here, and nothing has happened then. */
  function execute(
    message: Message,
    block: BlockEnvironment,
    state: StateView,
    scope: OutcomeScope = 'everything',
  ): Outcome {
    const { hardfork } = block
    // While a message runs nobody else has its instance: a state view may well run messages itself.
    const instance = idle.get(hardfork) ?? createInstance(hardfork, options)
    // Not deleted: a map that is empty with every message would be made anew each time.
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
