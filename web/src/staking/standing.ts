/** The status of a validator, in words. */
import { duration, rate } from '../format/amount.ts'
import { grouped, percent, units, utc } from '../format/number.ts'
import type { Tone } from '../parts/Badge.tsx'
import type { Parameters, Validator } from './types.ts'

export type Standing = { readonly tone: Tone; readonly word: string; readonly about: string }

/** `now`: the time of the latest block, in seconds since 1970, by which the contract judges. */
export function standingOf(validator: Validator, parameters: Parameters, now: number): Standing {
  if (validator.isTombstoned)
    return {
      tone: 'bad',
      word: 'tombstoned',
      about: `It signed two blocks of height ${grouped(validator.infractionHeight)}. At height ${grouped(validator.slashHeight)} it was slashed by ${rate(parameters.doubleSignSlash)} of its stake and removed permanently.`,
    }
  if (validator.isJailed) {
    const until = Number(validator.jailedUntil)
    const back =
      until <= now
        ? 'Its operator can unjail it now.'
        : `Its operator can unjail it from ${utc(until)}.`
    return {
      tone: 'bad',
      word: 'jailed',
      about: `It missed more than ${grouped(parameters.maxMissed)} of ${grouped(parameters.signedWindow)} blocks, lost ${rate(parameters.absenceSlash)} of its stake and was jailed at ${utc(until - parameters.jailTime)} for ${duration(parameters.jailTime)}. ${back}`,
    }
  }
  if (validator.power > 0n)
    return {
      tone: 'good',
      word: 'in the set',
      about: 'It votes on blocks with its share of the voting power.',
    }
  if (validator.isCandidate)
    return {
      tone: 'plain',
      word: 'waiting',
      about: `Others have more stake: the set has ${grouped(parameters.maxValidators)} places. It joins automatically when one becomes free.`,
    }
  return {
    tone: 'plain',
    word: 'too little stake',
    about: `It needs a stake of at least ${units(parameters.powerUnit, 18)} to vote.`,
  }
}

/** Part of its stake that a validator lost by all punishments so far; undefined where there was none. */
export function slashedSoFar({ tokens, shares }: Validator): string | undefined {
  // Rounding may leave a share worth a little less than one.
  if (shares === 0n || tokens + 1_000n >= shares) return undefined
  return percent(Number(shares - tokens), Number(shares))
}
