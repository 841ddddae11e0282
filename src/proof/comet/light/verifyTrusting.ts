/** Whether enough of the already trusted validators signed another set's commit. */
import { toHexDigits } from '../../../base/hex.ts'
import type { CometCrypto } from '../crypto.ts'
import type { Commit, Validator } from '../types.ts'
import { commitVoteSignBytes } from '../verifyCommit.ts'
import { MAX_INT64, totalVotingPower } from '../votingPower.ts'
import { LightError } from './errors.ts'
import type { Fraction } from './types.ts'

/** Throws RangeError for a level outside [1/3, 1], on which the security of skipping depends. */
export function checkTrustLevel({ numerator, denominator }: Fraction): void {
  if (denominator <= 0n || numerator * 3n < denominator || numerator > denominator)
    throw new RangeError(`the trust level ${numerator}/${denominator} is not from 1/3 to 1`)
}

function powerNeeded(validators: readonly Validator[], { numerator, denominator }: Fraction) {
  const product = totalVotingPower(validators) * numerator
  if (product > MAX_INT64) throw new RangeError('the numerator of the trust level is too large')
  return product / denominator
}

/**
 * Checks that signatures for the block hold more than `level` of the power of `trusted`, whose members are found by address.
 * Other validators' signatures are checked against their own set. Throws LightError.
 */
export function verifyCommitTrusting(
  crypto: CometCrypto,
  chainId: string,
  trusted: readonly Validator[],
  commit: Commit,
  level: Fraction,
): void {
  const needed = powerNeeded(trusted, level)
  const byAddress = new Map(trusted.map((entry) => [toHexDigits(entry.address), entry]))
  const seen = new Set<string>()
  let signed = 0n
  for (const [index, entry] of commit.signatures.entries()) {
    if (entry.blockIdFlag !== 2) continue
    const address = toHexDigits(entry.validatorAddress)
    const validator = byAddress.get(address)
    if (validator === undefined) continue
    if (seen.has(address))
      throw new LightError('invalid', `signature ${index} is the second one of its validator`)
    seen.add(address)
    const message = commitVoteSignBytes(chainId, commit, entry)
    if (!crypto.verifyEd25519(validator.publicKey, message, entry.signature))
      throw new LightError('invalid', `signature ${index} of the commit is wrong`)
    signed += validator.power
  }
  if (signed <= needed)
    throw new LightError(
      'notEnoughTrust',
      `validators trusted so far signed with ${signed} of their power, and more than ${needed} is needed`,
    )
}
