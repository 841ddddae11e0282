/** The `app_state` of a new home's genesis.json. */
import { toHex, type Hex } from '../base/hex.ts'
import type { Hardfork } from '../evm/rules.ts'
import { PREDEPLOYS } from './predeploys.ts'
import type { stakingSchema } from './staking/genesis.ts'
import type { z } from 'zod'

/** Changes at a height: the fork, and the code of contracts by address. */
export type AppUpgrade = {
  readonly height: number
  readonly hardfork?: Hardfork
  readonly code?: Readonly<Record<Hex, Hex>>
}

/** JSON of `app_state`; amounts are decimal texts, since JSON numbers are too small for them. */
export type AppState = {
  readonly evm: {
    readonly block_gas_limit: string
    readonly initial_base_fee: string
    readonly min_base_fee: string
    readonly development?: true
    readonly hardfork?: Hardfork
    readonly upgrades?: readonly AppUpgrade[]
    readonly alloc: Readonly<
      Record<Hex, { readonly balance: string; readonly nonce?: string; readonly code?: Hex }>
    >
    readonly staking?: z.input<typeof stakingSchema>
  }
}

/** A validator of genesis, with its first stake. */
export type NewValidator = {
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Receives the tips of its blocks and its commission. Also operates the validator, unless another account does. */
  readonly rewardAddress: Uint8Array
  readonly operator?: Uint8Array
  /** In the smallest unit; 10 units of power by default, as genesis.json tells CometBFT. */
  readonly stake?: bigint
}

/** Parameters of a new chain. Amounts are in the smallest unit; absent values have their defaults (D18). */
export type NewChain = {
  readonly accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[]
  /** With one validator, the set is closed unless `staking` says otherwise. With none, the chain has no stake. */
  readonly validators: readonly NewValidator[]
  readonly staking?: Partial<z.input<typeof stakingSchema>>
  readonly blockGasLimit?: bigint
  readonly initialBaseFee?: bigint
  readonly minBaseFee?: bigint
  /** A development chain (D56). */
  readonly isDevelopment?: boolean
  /** The fork from genesis on; the newest by default (D19). */
  readonly hardfork?: Hardfork
  /** By ascending height. */
  readonly upgrades?: readonly AppUpgrade[]
}

const GWEI = 1_000_000_000n
const POWER_UNIT = 10n ** 18n
const GENESIS_POWER = 10n
const DAY = 86_400

/** Staking defaults of a new chain: an unbonding time of three weeks, up to half of a thousand blocks missed. */
function stakingState({
  validators,
  staking,
}: Pick<NewChain, 'validators' | 'staking'>): z.input<typeof stakingSchema> {
  return {
    power_unit: POWER_UNIT.toString(),
    unbonding_time: 21 * DAY,
    max_validators: validators.length === 1 ? 1 : 100,
    signed_window: 1_000,
    max_missed: 500,
    jail_time: 600,
    double_sign_slash: 500,
    absence_slash: 1,
    inflation_per_second: '0',
    validators: validators.map(({ publicKey, rewardAddress, operator, stake }) => ({
      public_key: toHex(publicKey),
      operator: toHex(operator ?? rewardAddress),
      reward: toHex(rewardAddress),
      stake: (stake ?? GENESIS_POWER * POWER_UNIT).toString(),
      commission: 1_000,
      max_commission: 10_000,
      max_commission_change: 100,
    })),
    ...staking,
  }
}

/** The state of a new chain, with the predeployed contracts of D52. */
export function defaultAppState(chain: NewChain): AppState {
  const contracts = PREDEPLOYS.map(
    ({ address, code }) =>
      [toHex(address), { balance: '0', nonce: '1', code: toHex(code) }] as const,
  )
  const accounts = chain.accounts.map(
    ({ address, balance }) => [toHex(address), { balance: balance.toString() }] as const,
  )
  return {
    evm: {
      block_gas_limit: (chain.blockGasLimit ?? 30_000_000n).toString(),
      initial_base_fee: (chain.initialBaseFee ?? GWEI).toString(),
      min_base_fee: (chain.minBaseFee ?? GWEI / 10n).toString(),
      ...(chain.isDevelopment === true && { development: true }),
      ...(chain.hardfork !== undefined && { hardfork: chain.hardfork }),
      ...(chain.upgrades !== undefined && { upgrades: chain.upgrades }),
      alloc: Object.fromEntries([...contracts, ...accounts]),
      ...(chain.validators.length > 0 && { staking: stakingState(chain) }),
    },
  }
}
