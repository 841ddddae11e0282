/** A read-only thread's view of a chain whose blocks may be rolled back (D56). */
import type { ChainRules } from '../../chain/executed.ts'
import type { ChainReader } from '../../chain/reader.ts'
import { countRollbacks, openChainReader } from '../../ledger/store.ts'
import type { Absences } from '../../ledger/state/absences.ts'
import type { Kv } from '../../store/kv.ts'

/**
 * Returns a function for the chain, to be called before each request: it drops what was cached of blocks that were
 * rolled back.
 */
export function followRollbacks(
  kv: Kv,
  { chainId, isDevelopment }: ChainRules,
  absences: Absences,
): () => ChainReader {
  const open = (): ChainReader => openChainReader(kv, { chainId }, absences)
  let chain = open()
  let seen = 0
  return () => {
    if (isDevelopment !== true) return chain
    kv.refresh()
    const now = countRollbacks(kv)
    if (now !== seen) chain = open()
    seen = now
    return chain
  }
}
