/** Reads decided blocks back from the chain's store, for the engine. */
import type { ChainReader } from '../../chain/reader.ts'
import type { BlockSource } from '../embedded/reader.ts'
import { finalizeResponse } from './results.ts'

/** Transactions and results of committed heights; events are derived from them again (D3). */
export function createEvmBlockSource(chainName: string, reader: ChainReader): BlockSource {
  return {
    transactions: (height) => (reader.decided(height) ?? []).map(({ raw }) => raw),
    results(height) {
      const header = reader.header(height)
      const decided = reader.decided(height)
      const transactions = reader.transactions(height)
      const receipts = reader.receipts(height)
      const validatorUpdates = reader.validatorUpdates(height)
      const systemLogs = reader.systemLogs(height)
      if (!header || !decided || !transactions || !receipts) return undefined
      if (!validatorUpdates || !systemLogs) return undefined
      const { stateRoot } = header
      return finalizeResponse(chainName, {
        decided,
        transactions,
        receipts,
        validatorUpdates,
        systemLogs,
        stateRoot,
      })
    },
    findTransaction: (hash) => reader.findDecided(hash),
  }
}
