/** Types of a light client (CometBFT v0.38 specification, "Light Client"). */
import type { CometCrypto } from '../crypto.ts'
import type { Commit, Header, Validator } from '../types.ts'

/** A header with the signatures that decided it. */
export type SignedHeader = { readonly header: Header; readonly commit: Commit }

/** A signed header with the validators that signed it, in the order of the set. */
export type LightBlock = SignedHeader & { readonly validators: readonly Validator[] }

/** A share of voting power. */
export type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

export type LightOptions = {
  readonly crypto: CometCrypto
  /** How long a verified header stays trusted; shorter than the period in which misbehaviour can be punished. */
  readonly trustingPeriodNs: bigint
  /** Maximum distance of a header into the future. */
  readonly maxClockDriftNs: bigint
  /** The share of the trusted validators that must have signed a later header: from 1/3 to 1. */
  readonly trustLevel: Fraction
}

/** CometBFT's defaults: a week, ten seconds, a third. */
export const DEFAULT_LIGHT_OPTIONS: Omit<LightOptions, 'crypto'> = {
  trustingPeriodNs: 604_800_000_000_000n,
  maxClockDriftNs: 10_000_000_000n,
  trustLevel: { numerator: 1n, denominator: 3n },
}

/**
 * Returns the light block of a height, or the latest one. Its answers are not trusted. Rejects with LightError:
 * `unavailable` when there is no such block (any more), `tooHigh` if there is none yet, `malformed` if the response is
 * invalid.
 */
export type Provider = (height: number | 'latest') => Promise<LightBlock>
