/** Loading an inference engine takes a second of processor time: it is delayed until the system has started up. */
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Engine } from './engine.ts'

const DELAY_MS = 3000

/**
 * Prepares an engine a little later, unless a job does so first. `open` returns the engine or throws the reason why
 * there is none, which is logged. Returns a function that cancels it.
 */
export function prepareLater(open: () => Engine, log: Log): () => void {
  const prepare = async (): Promise<void> => open().prepare()
  const timer = setTimeout(() => {
    prepare().catch((error: unknown) => log.error({ reason: messageOf(error) }, 'no inference'))
  }, DELAY_MS)
  return () => clearTimeout(timer)
}
