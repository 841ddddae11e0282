/** Checks a decided block: its id, its links to its neighbours, and its signature. */
import { equalBytes } from '../../base/bytes.ts'
import { verifyEd25519 } from '../../base/ed25519.ts'
import { messageOf } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import { identifyBlock } from '../../proof/comet/block.ts'
import { equalBlockIds } from '../../proof/comet/blockId.ts'
import { verifyCommit } from '../../proof/comet/verifyCommit.ts'
import type { BlockStore } from './blockStore.ts'

/** The faults of one decided block as texts; `txs` are the transactions that the application stores for it. */
export function checkDecided(
  store: BlockStore,
  chainId: string,
  height: number,
  txs: readonly Uint8Array[],
): readonly string[] {
  const record = store.block(height)
  const validators = store.validators(height)
  const next = store.block(height + 1)
  const commit = next?.lastCommit ?? store.seenCommit()
  if (!record || !validators || !commit) return [`decided block ${height} is not complete`]
  const { header, lastCommit, blockId } = record
  const faults: string[] = []
  // The id covers the header by its hash, and the transactions by the parts.
  if (!equalBlockIds(identifyBlock(sha256, { header, lastCommit, txs }).blockId, blockId))
    faults.push(`id of block ${height}`)
  if (next !== undefined && !equalBytes(next.header.lastBlockId.hash, blockId.hash))
    faults.push(`link to block ${height}`)
  if (store.heightOfBlock(blockId.hash) !== height)
    faults.push(`consensus index by hash of block ${height}`)
  try {
    verifyCommit({ sha256, verifyEd25519 }, chainId, validators, { height, blockId }, commit)
  } catch (error) {
    faults.push(`commit of block ${height}: ${messageOf(error)}`)
  }
  return faults
}
