/** `assay node rollback`: rolls back the execution of the last block. */
import { sha256 } from '../base/sha256.ts'
import { rollbackBlock } from '../ledger/rollback.ts'
import { openChainTables } from '../ledger/tables.ts'
import type { Home } from '../config/home.ts'
import { beforeLastBlock } from '../consensus/embedded/rollback.ts'
import { openOffline } from './offline.ts'

/**
 * Goes back by one height, in one transaction, and returns the new last height. Throws UserError if that is impossible.
 */
export async function rollbackHome(home: Home): Promise<number> {
  const { kv, reader, blocks, genesis } = openOffline(home, { readOnly: false })
  try {
    const tables = openChainTables(kv)
    if (blocks.state() === undefined) {
      // With CometBFT, the handshake replays the block from CometBFT's own store.
      kv.write(() => rollbackBlock(tables, sha256))
      return reader.latestHeight()
    }
    const { before, last } = beforeLastBlock(blocks, genesis.genesis, (height) =>
      (reader.decided(height) ?? []).map(({ raw }) => raw),
    )
    kv.write(() => {
      rollbackBlock(tables, sha256)
      blocks.rollback(before, last)
    })
    return before.height
  } finally {
    await kv.close()
  }
}
