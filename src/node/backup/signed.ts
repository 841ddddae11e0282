/** The signed header that proves a backup's state: it names the root of the state before its block. */
import { verifyEd25519 } from '../../base/ed25519.ts'
import { messageOf, UserError } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import type { BlockStore } from '../../consensus/embedded/blockStore.ts'
import { checkLightBlock } from '../../proof/comet/light/checkBlock.ts'
import type { LightBlock } from '../../proof/comet/light/types.ts'
import { verifyOwnCommit } from '../../proof/comet/light/verify.ts'

/** The last block's, as the embedded engine keeps it. Throws UserError when it was rolled back. */
export function signedEmbedded(blocks: BlockStore, height: number): LightBlock {
  const [record, validators, commit] = [
    blocks.block(height),
    blocks.validators(height),
    blocks.seenCommit(),
  ]
  if (record === undefined || validators === undefined || commit?.height !== height)
    throw new UserError(
      `block ${height} has no commit here: it was rolled back`,
      'Start the node, which executes it again, then run the backup.',
    )
  return { header: record.header, commit, validators }
}

/**
 * Checks that more than two thirds of the header's own validators signed it. Whether they are those of the chain follows
 * from the headers before, or from its hash. Throws UserError.
 */
export function verifySigned(chainId: string, block: LightBlock): void {
  const crypto = { sha256, verifyEd25519 }
  try {
    checkLightBlock(crypto, chainId, block)
    verifyOwnCommit({ crypto }, block)
  } catch (error) {
    throw new UserError(
      `header ${block.header.height} is not signed as it should be: ${messageOf(error)}`,
      'Check the home with: assay node check',
    )
  }
}
