/** `assay verify header`. */
import { toUpperHexDigits } from '../../base/hex.ts'
import { formatTime } from '../../proof/comet/time.ts'
import type { Session } from './session.ts'
import type { Facts } from './transcript.ts'

/** Proves the header of a height, or the latest one. */
export async function proveHeader(session: Session, height: number | 'latest'): Promise<Facts> {
  const { header, commit } = await session.verified(height)
  return {
    height: String(header.height),
    hash: toUpperHexDigits(commit.blockId.hash),
    time: formatTime(header.timeNs),
    chainId: header.chainId,
    appHash: toUpperHexDigits(header.appHash),
    dataHash: toUpperHexDigits(header.dataHash),
    lastResultsHash: toUpperHexDigits(header.lastResultsHash),
    validatorsHash: toUpperHexDigits(header.validatorsHash),
    proposer: toUpperHexDigits(header.proposerAddress),
  }
}
