/** The `app_state` that a new home's genesis.json gets. */
import { toHex, type Hex } from '../base/hex.ts'
import { PREDEPLOYS } from './predeploys.ts'

/** JSON of `app_state`; amounts are decimal texts, since JSON numbers are too small for them. */
export type AppState = {
  readonly evm: {
    readonly block_gas_limit: string
    readonly initial_base_fee: string
    readonly min_base_fee: string
    readonly alloc: Readonly<
      Record<Hex, { readonly balance: string; readonly nonce?: string; readonly code?: Hex }>
    >
    readonly validators: Readonly<Record<Hex, Hex>>
  }
}

/** What a new chain is made of. Amounts are in the smallest unit; what is absent has its default (D18). */
export type NewChain = {
  readonly accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[]
  /** 20-byte consensus address, and where the fees of its blocks go. */
  readonly validators: readonly {
    readonly consensusAddress: Uint8Array
    readonly rewardAddress: Uint8Array
  }[]
  readonly blockGasLimit?: bigint
  readonly initialBaseFee?: bigint
  readonly minBaseFee?: bigint
}

const GWEI = 1_000_000_000n

/** The state of a new chain, with the predeployed contracts of D52. */
export function defaultAppState(chain: NewChain): AppState {
  const contracts = PREDEPLOYS.map(
    ({ address, code }) =>
      [toHex(address), { balance: '0', nonce: '1', code: toHex(code) }] as const,
  )
  const accounts = chain.accounts.map(
    ({ address, balance }) => [toHex(address), { balance: balance.toString() }] as const,
  )
  const validators = chain.validators.map(
    ({ consensusAddress, rewardAddress }) =>
      [toHex(consensusAddress), toHex(rewardAddress)] as const,
  )
  return {
    evm: {
      block_gas_limit: (chain.blockGasLimit ?? 30_000_000n).toString(),
      initial_base_fee: (chain.initialBaseFee ?? GWEI).toString(),
      min_base_fee: (chain.minBaseFee ?? GWEI / 10n).toString(),
      alloc: Object.fromEntries([...contracts, ...accounts]),
      validators: Object.fromEntries(validators),
    },
  }
}
