/** Follows the list of a registrar in contracts/ModelRegistry.sol (D147). */
import type { DispatcherChain } from '../chain.ts'
import { modelsVersion, readChainModels } from '../../registry/models.ts'
import type { DispatcherSql } from '../tables.ts'
import { setChainModels } from './register.ts'

/** Entries that are read, the oldest first: they are read one by one. */
const MAX_ENTRIES = 1000

/**
 * A function that takes over the list whenever it has changed since the last call. While the chain does not answer, names stay what
 * they are; without a registrar the names of the chain, if there were any, are nobody's.
 */
export function chainModels(
  sql: DispatcherSql,
  chain: DispatcherChain | undefined,
): () => Promise<boolean> {
  const { modelRegistry } = chain?.options ?? {}
  let version: bigint | undefined
  return async () => {
    if (chain === undefined || modelRegistry === undefined) {
      if (version === undefined) await setChainModels(sql, [])
      version = 0n
      return false
    }
    const { contract, registrar } = modelRegistry
    const current = await modelsVersion(chain.rpc, contract, registrar)
    if (current === version) return false
    await setChainModels(sql, await readChainModels(chain.rpc, contract, registrar, MAX_ENTRIES))
    version = current
    return true
  }
}
