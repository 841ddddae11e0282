/** Tells a node that a damaged store ended from one that a restart helps (D90). */
import { DamageError } from '../base/errors.ts'
import { EXIT_DAMAGED } from '../base/exitCodes.ts'
import type { Home } from '../config/home.ts'
import { describeDamage } from '../consensus/scrub/describeDamage.ts'
import { scanStore } from '../store/pages/scanStore.ts'

/** How a process ended; `message` is what it said itself. */
export type Ending = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly message: string | undefined
}

/** Signals of memory that cannot be read, or holds nonsense. */
const FAULTS: ReadonlySet<string> = new Set([
  'SIGBUS',
  'SIGSEGV',
  'SIGILL',
  'SIGFPE',
  'SIGABRT',
  'SIGTRAP',
])

/** Ends by such a signal after which the disk is at fault, even if its file looks whole. */
const MAX_FAULTS = 3

/** Whether a signal is one of memory that cannot be read. */
export function isMemoryFault(signal: NodeJS.Signals | null): signal is NodeJS.Signals {
  return signal !== null && FAULTS.has(signal)
}

/** The error after which the node of a home is not started again; undefined when a restart may help. */
export function storeDamageOf(home: Home): (ending: Ending) => DamageError | undefined {
  const advice = `It is not started again. Run: assay node check --home ${home.folder}`
  let faults = 0
  return ({ code, signal, message }) => {
    if (code === EXIT_DAMAGED)
      return new DamageError(message ?? 'the chain node ended: its store is damaged', advice)
    if (!isMemoryFault(signal)) return undefined
    const [fault] = scanStore(home.chainStore).faults
    if (fault !== undefined)
      return new DamageError(`${signal} ended the chain node: ${describeDamage(fault)}`, advice)
    return ++faults < MAX_FAULTS
      ? undefined
      : new DamageError(`${signal} ended the chain node: its memory or its disk fails`, advice)
  }
}
