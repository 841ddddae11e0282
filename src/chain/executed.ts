/** A block between execution and disk: nothing is written yet. */
import type { Hardfork } from '../evm/rules.ts'
import type { Effects, Log } from '../evm/types.ts'
import type { BlockHeader } from './block.ts'
import type { DecidedTransaction } from './reader.ts'
import type { Receipt } from './receipt.ts'
import type { ValidatorPower } from './staking/validatorSet.ts'
import type { Transaction } from './transaction.ts'

/** Proven misbehaviour: a validator (consensus address) signed two blocks of one height. */
export type DoubleSign = {
  readonly validator: Uint8Array
  readonly height: number
  readonly timeNs: bigint
}

/** A block as the engine decided it, before execution. */
export type DecidedBlock = {
  readonly height: number
  /** CometBFT header hash. */
  readonly hash: Uint8Array
  readonly timeNs: bigint
  /** Consensus address of the proposer. */
  readonly proposer: Uint8Array
  readonly txs: readonly Uint8Array[]
  /** Consensus addresses of validators that did not sign the previous block. */
  readonly absent: readonly Uint8Array[]
  readonly doubleSigns: readonly DoubleSign[]
}

/** The result of executing a decided block. */
export type ExecutedBlock = {
  /** All header facts except the state root, which the store computes from the effects. */
  readonly header: Omit<BlockHeader, 'stateRoot'>
  /** Ethereum transactions and their receipts, same order and length. */
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** Everything that was decided, in block order. */
  readonly decided: readonly DecidedTransaction[]
  /** Final values of everything that the block changed. */
  readonly effects: Effects
  /** Changes of the validator set, sorted by key; power 0 removes. */
  readonly validatorUpdates: readonly ValidatorPower[]
  /** Logs of the end-of-block system call, outside any transaction. */
  readonly systemLogs: readonly Log[]
}

/** Values of genesis for a chain with stake. */
export type StakingRules = {
  readonly maxValidators: number
  /** In the smallest unit; newly minted. */
  readonly inflationPerSecond: bigint
}

/** A change that genesis plans for the beginning of a block. */
export type PlannedUpgrade = {
  readonly height: number
  /** Absent: unchanged. */
  readonly hardfork?: Hardfork
  /** New code of accounts, by address of 40 hex digits. */
  readonly code: ReadonlyMap<string, Uint8Array>
}

/** Values of the chain's genesis that execution depends on. */
export type ChainRules = {
  readonly chainId: bigint
  readonly blockGasLimit: bigint
  readonly initialBaseFee: bigint
  readonly minBaseFee: bigint
  /** Absent in homes from before staking: the proposer gets all fees, and the validator set never changes. */
  readonly staking?: StakingRules
  /** The EVM's fork from genesis on; the newest by default (D19). */
  readonly hardfork?: Hardfork
  /** By ascending height. */
  readonly upgrades?: readonly PlannedUpgrade[]
  /** A development chain: blocks may begin with a state edit, and contain unsigned transactions (D56). */
  readonly isDevelopment?: boolean
}
