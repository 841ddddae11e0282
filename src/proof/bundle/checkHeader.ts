/** The signed header at which a proof ends: its signatures, and whether the verifier trusts it (D77). */
import { equalBytes } from '../../base/bytes.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import { checkLightBlock } from '../comet/light/checkBlock.ts'
import { LightError } from '../comet/light/errors.ts'
import { signedBy } from '../comet/light/signers.ts'
import { DEFAULT_LIGHT_OPTIONS } from '../comet/light/types.ts'
import { isExpired } from '../comet/light/verify.ts'
import { formatTime } from '../comet/time.ts'
import { CommitError, verifyCommit } from '../comet/verifyCommit.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import type { BundleAnchor } from './format.ts'
import type { Findings } from './report.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

type SignedHeader = NonNullable<NonNullable<BundleAnchor['proof']>['signedHeader']>

/** Whether a header holds by itself, and whether it leads to what the verifier trusts. */
export function checkHeader(
  findings: Findings,
  block: SignedHeader,
  domain: RecordDomain,
  trust: BundleTrust,
  context: BundleContext,
): { readonly holds: boolean; readonly isTrusted: boolean } {
  const { header, commit, validators } = block
  const name = `header ${header.height}`
  try {
    checkLightBlock(context, trust.chainId ?? header.chainId, block)
    const expected = { height: header.height, blockId: commit.blockId }
    verifyCommit(context, header.chainId, validators, expected, commit)
  } catch (error) {
    if (!(error instanceof LightError) && !(error instanceof CommitError)) throw error
    findings.check(false, '', `${name} is not proven: ${error.message}`)
    return { holds: false, isTrusted: false }
  }
  findings.check(
    true,
    `${name} ${toUpperHexDigits(commit.blockId.hash)} of ${header.chainId} at ${formatTime(header.timeNs)} is ${signedBy(block)}, with more than two thirds of the voting power`,
    '',
  )
  if (trust.chainId === undefined)
    findings.unchecked(`chain identity: pin ${header.chainId} to check it`)
  const sameNumber = findings.check(
    /_(\d+)-\d+$/.exec(header.chainId)?.[1] === String(domain.chainId),
    `the chain has the id ${domain.chainId}, which everything is signed for`,
    `the header is of ${header.chainId}, but everything is signed for chain ${domain.chainId}`,
  )
  const isTrusted = checkRoot(findings, block, trust)
  return { holds: sameNumber, isTrusted: isTrusted && trust.chainId !== undefined }
}

/** Whether the header, or its validators at a time when they could still be punished, are the verifier's own. */
function checkRoot(
  findings: Findings,
  { header, commit }: SignedHeader,
  { validatorsHash, headerHashes, nowNs, trustingPeriodNs }: BundleTrust,
): boolean {
  if (validatorsHash === undefined && headerHashes === undefined) {
    findings.unchecked(
      `validator set: pin ${toUpperHexDigits(header.validatorsHash)}, or the header, to check it`,
    )
    return false
  }
  const isKnown = findings.check(
    (validatorsHash === undefined || equalBytes(validatorsHash, header.validatorsHash)) &&
      (headerHashes === undefined ||
        headerHashes.some((hash) => equalBytes(hash, commit.blockId.hash))),
    `${headerHashes === undefined ? 'its validators are the ones' : 'it is the header'} you trust`,
    `header ${header.height} or its validators are not the ones you trust`,
  )
  // A header that is known by its hash proves itself at any age, as backwards verification of a light client does.
  if (!isKnown || headerHashes !== undefined) return isKnown
  if (nowNs === undefined) {
    findings.unchecked('age of the header: without the present time, old validators could sign it')
    return false
  }
  const options = {
    trustingPeriodNs: trustingPeriodNs ?? DEFAULT_LIGHT_OPTIONS.trustingPeriodNs,
  }
  return findings.check(
    !isExpired(header, options, nowNs) &&
      header.timeNs < nowNs + DEFAULT_LIGHT_OPTIONS.maxClockDriftNs,
    'it is within the trusting period of its validators',
    `header ${header.height} of ${formatTime(header.timeNs)} is ${isExpired(header, options, nowNs) ? 'older than the trusting period' : 'in the future'}: fetch the bundle again, or pin the hash of the header`,
  )
}
