/** Loading an inference engine takes a second of processor time: it waits until a starting system has come up. */
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Engine } from './engine.ts'

const DELAY_MS = 3000

/**
 * Prepares an engine a little later, unless a job comes first and does it. `open` gives the engine or throws why there is
 * none, which is logged. Returns what calls it off.
 */
export function prepareLater(open: () => Engine, log: Log): () => void {
  const prepare = async (): Promise<void> => open().prepare()
  const timer = setTimeout(() => {
    prepare().catch((error: unknown) => log.error({ reason: messageOf(error) }, 'no inference'))
  }, DELAY_MS)
  return () => clearTimeout(timer)
}
