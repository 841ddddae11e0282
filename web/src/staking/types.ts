/**
 * Staking data in the contract's terms (contracts/staking/Types.sol). Amounts are in the smallest unit, times in
 * seconds since 1970.
 */

export type Parameters = {
  readonly powerUnit: bigint
  readonly unbondingTime: number
  readonly jailTime: number
  readonly maxValidators: number
  readonly signedWindow: number
  readonly maxMissed: number
  /** Basis points. */
  readonly doubleSignSlash: number
  readonly absenceSlash: number
}

export type Validator = {
  readonly operator: string
  /** Ed25519, 0x and 64 digits. */
  readonly publicKey: string
  readonly tokens: bigint
  readonly shares: bigint
  /** 0 outside the set. */
  readonly power: bigint
  /** Basis points. */
  readonly commission: number
  readonly maxCommission: number
  readonly maxCommissionChange: number
  readonly isCandidate: boolean
  readonly isJailed: boolean
  readonly jailedUntil: bigint
  readonly isTombstoned: boolean
  /** Height of the double sign, and the height at which it was punished. */
  readonly infractionHeight: number
  readonly slashHeight: number
}

export type Staking = {
  readonly parameters: Parameters
  readonly bonded: bigint
  readonly unbonding: bigint
  /** By stake, the largest first. */
  readonly validators: readonly Validator[]
}

export type Delegation = {
  readonly operator: string
  readonly shares: bigint
  /** What the shares are worth. */
  readonly amount: bigint
  readonly rewards: bigint
  /** Shares that came by a redelegation, and stay until then. */
  readonly lockedShares: bigint
  readonly lockedUntil: bigint
}

export type Unbonding = {
  /** Its place in the contract's list, by which it is withdrawn. */
  readonly index: number
  readonly operator: string
  readonly amount: bigint
  readonly completesAt: bigint
}

export type Stake = {
  readonly balance: bigint
  readonly delegations: readonly Delegation[]
  readonly unbondings: readonly Unbonding[]
  /** What the account could withdraw as an operator; undefined where it is none. */
  readonly commission: bigint | undefined
}
