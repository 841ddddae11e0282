/** Blocks and their parts as JSON. */
import { toUpperHexDigits } from '../../base/hex.ts'
import type { StoredBlock } from '../../consensus/engine.ts'
import { formatTime } from '../../proof/comet/time.ts'
import type { Block, BlockId, Commit, Header } from '../../proof/comet/types.ts'
import { base64, decimal, omitEmpty } from './primitive.ts'

/** A block's id. */
export function encodeBlockId({ hash, parts }: BlockId): object {
  return {
    hash: toUpperHexDigits(hash),
    parts: { total: parts.total, hash: toUpperHexDigits(parts.hash) },
  }
}

/** The id that stands for no block. */
export const ZERO_BLOCK_ID: object = { hash: '', parts: { total: 0, hash: '' } }

/** A header. */
export function encodeHeader(header: Header): object {
  return {
    version: omitEmpty({ block: decimal(header.version.block), app: decimal(header.version.app) }),
    chain_id: header.chainId,
    height: decimal(header.height),
    time: formatTime(header.timeNs),
    last_block_id: encodeBlockId(header.lastBlockId),
    last_commit_hash: toUpperHexDigits(header.lastCommitHash),
    data_hash: toUpperHexDigits(header.dataHash),
    validators_hash: toUpperHexDigits(header.validatorsHash),
    next_validators_hash: toUpperHexDigits(header.nextValidatorsHash),
    consensus_hash: toUpperHexDigits(header.consensusHash),
    app_hash: toUpperHexDigits(header.appHash),
    last_results_hash: toUpperHexDigits(header.lastResultsHash),
    evidence_hash: toUpperHexDigits(header.evidenceHash),
    proposer_address: toUpperHexDigits(header.proposerAddress),
  }
}

/** A commit with its signatures. */
export function encodeCommit(commit: Commit): object {
  return {
    height: decimal(commit.height),
    round: commit.round,
    block_id: encodeBlockId(commit.blockId),
    signatures: commit.signatures.map((signature) => ({
      block_id_flag: signature.blockIdFlag,
      validator_address: toUpperHexDigits(signature.validatorAddress),
      timestamp: formatTime(signature.timeNs),
      signature: base64(signature.signature),
    })),
  }
}

/** A block with its transactions. */
export function encodeBlock({ header, txs, lastCommit }: Block): object {
  return {
    header: encodeHeader(header),
    data: { txs: txs.map(base64) },
    // A single validator cannot be proven to have signed against itself, so blocks contain no evidence.
    evidence: { evidence: [] },
    last_commit: encodeCommit(lastCommit),
  }
}

/** Result of `block` and `block_by_hash`; for an unknown block, null with an empty id. */
export function encodeStoredBlock(stored: StoredBlock | undefined): object {
  return stored === undefined
    ? { block_id: ZERO_BLOCK_ID, block: null }
    : { block_id: encodeBlockId(stored.blockId), block: encodeBlock(stored.block) }
}

/** An element of `blockchain`. */
export function encodeBlockMeta({ block, blockId, size }: StoredBlock): object {
  return {
    block_id: encodeBlockId(blockId),
    block_size: decimal(size),
    header: encodeHeader(block.header),
    num_txs: decimal(block.txs.length),
  }
}
