/** One verification step: from a trusted header to another one (CometBFT v0.38, light client verification). */
import { equalBytes } from '../../../base/bytes.ts'
import { toUpperHexDigits } from '../../../base/hex.ts'
import { headerHash } from '../header.ts'
import { formatTime } from '../time.ts'
import type { Header, Validator } from '../types.ts'
import { CommitError, verifyCommit } from '../verifyCommit.ts'
import { checkHeader, checkLightBlock } from './checkBlock.ts'
import { LightError } from './errors.ts'
import type { LightBlock, LightOptions } from './types.ts'
import { verifyCommitTrusting } from './verifyTrusting.ts'

/** What is trusted: a header, and the validators of its height or of the next one. */
export type Trusted = { readonly header: Header; readonly validators: readonly Validator[] }

/** Whether the trusting period after a header is over. */
export function isExpired(
  { timeNs }: Pick<Header, 'timeNs'>,
  { trustingPeriodNs }: Pick<LightOptions, 'trustingPeriodNs'>,
  nowNs: bigint,
): boolean {
  return timeNs + trustingPeriodNs <= nowNs
}

function checkNewer(
  { header }: Trusted,
  { header: next }: LightBlock,
  { maxClockDriftNs }: LightOptions,
  nowNs: bigint,
): void {
  if (next.height <= header.height)
    throw new LightError('invalid', `height ${next.height} is not above ${header.height}`)
  if (next.timeNs <= header.timeNs)
    throw new LightError(
      'invalid',
      `header ${next.height} is of ${formatTime(next.timeNs)}, not after ${formatTime(header.timeNs)}`,
    )
  if (next.timeNs >= nowNs + maxClockDriftNs)
    throw new LightError(
      'invalid',
      `header ${next.height} is of ${formatTime(next.timeNs)}, in the future`,
    )
}

/** Whether more than two thirds of a block's own validators signed it, and each signature is valid. Throws LightError. */
export function verifyOwnCommit({ crypto }: Pick<LightOptions, 'crypto'>, block: LightBlock): void {
  const { header, commit, validators } = block
  const expected = { height: header.height, blockId: commit.blockId }
  try {
    verifyCommit(crypto, header.chainId, validators, expected, commit)
  } catch (error) {
    if (!(error instanceof CommitError)) throw error
    throw new LightError('invalid', `height ${header.height}: ${error.message}`, { cause: error })
  }
}

/**
 * Verifies a later block against a trusted one. At the next height, its validators must be those that the trusted
 * header announces; at a later height, enough of the trusted validators must have signed it. In both cases more than
 * two thirds of its own validators must have signed it. Throws LightError: `expired`, `notEnoughTrust` or `invalid`.
 */
export function verifyForward(
  options: LightOptions,
  trusted: Trusted,
  next: LightBlock,
  nowNs: bigint,
): void {
  const { header } = trusted
  if (isExpired(header, options, nowNs))
    throw new LightError(
      'expired',
      `header ${header.height} of ${formatTime(header.timeNs)} is older than the trusting period`,
    )
  checkLightBlock(options.crypto, header.chainId, next)
  checkNewer(trusted, next, options, nowNs)
  if (next.header.height === header.height + 1) {
    if (!equalBytes(next.header.validatorsHash, header.nextValidatorsHash))
      throw new LightError(
        'invalid',
        `the validators of height ${next.header.height} are not those that header ${header.height} announces`,
      )
  } else {
    const { crypto, trustLevel } = options
    verifyCommitTrusting(crypto, header.chainId, trusted.validators, next.commit, trustLevel)
  }
  // Last, because a hostile set can be large: so far its signatures have cost nothing.
  verifyOwnCommit(options, next)
}

/**
 * Verifies the header before a trusted one, which contains its hash. Signatures and ages do not matter then. Throws
 * LightError `invalid`.
 */
export function verifyBackward(
  { crypto }: Pick<LightOptions, 'crypto'>,
  trusted: Header,
  earlier: Header,
): void {
  checkHeader(earlier)
  if (earlier.chainId !== trusted.chainId || earlier.height !== trusted.height - 1)
    throw new LightError('invalid', `the header is not that of height ${trusted.height - 1}`)
  if (earlier.timeNs >= trusted.timeNs)
    throw new LightError('invalid', `header ${earlier.height} is not before its successor`)
  if (!equalBytes(headerHash(crypto.sha256, earlier), trusted.lastBlockId.hash))
    throw new LightError(
      'invalid',
      `header ${earlier.height} does not hash to ${toUpperHexDigits(trusted.lastBlockId.hash)}, which header ${trusted.height} names`,
    )
}
