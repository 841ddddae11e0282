/** The chain as a thread that only reads sees it, where blocks may be taken back (D56). */
import type { ChainRules } from '../../chain/executed.ts'
import type { ChainReader } from '../../chain/reader.ts'
import { countRollbacks, openChainReader } from '../../ledger/store.ts'
import type { Kv } from '../../store/kv.ts'

/** Gives the chain, to be asked before each request: what it kept of blocks that were taken back is forgotten. */
export function followRollbacks(kv: Kv, { chainId, isDevelopment }: ChainRules): () => ChainReader {
  let chain = openChainReader(kv, { chainId })
  let seen = 0
  return () => {
    if (isDevelopment !== true) return chain
    kv.refresh()
    const now = countRollbacks(kv)
    if (now !== seen) chain = openChainReader(kv, { chainId })
    seen = now
    return chain
  }
}
