/** The genesis of a network: all validators with equal voting power, and open to further ones. */
import type { NewChain } from '../chain/defaultGenesis.ts'
import { defaultAppState } from '../chain/defaultGenesis.ts'
import type { Home } from '../config/home.ts'
import { APP_VERSION } from '../consensus/evm/application.ts'
import { DEFAULT_PARAMS, genesisText } from '../consensus/files/genesis.ts'
import type { ValidatorKey } from '../consensus/files/keys.ts'
import type { Hardfork } from '../evm/rules.ts'
import { CHAIN_ID, REWARD_KEY_BALANCE, rewardAddressOf } from './newHome.ts'

/** A validator with the home that has its keys. */
export type GenesisValidator = {
  readonly home: Home
  readonly name: string
  readonly key: ValidatorKey
}

const POWER = 10n
const MAX_VALIDATORS = 100

/** The text of genesis.json. `accounts` have their balances besides the validators' reward keys. */
export function networkGenesis(
  validators: readonly GenesisValidator[],
  accounts: NewChain['accounts'],
  hardfork?: Hardfork,
): string {
  const rewards = validators.map(({ home }) => rewardAddressOf(home))
  return genesisText({
    timeNs: BigInt(Date.now()) * 1_000_000n,
    chainId: CHAIN_ID,
    validators: validators.map(({ key, name }) => ({
      publicKey: key.signer.publicKey,
      power: POWER,
      name,
    })),
    appState: defaultAppState({
      accounts: [
        ...accounts,
        ...rewards.map((address) => ({ address, balance: REWARD_KEY_BALANCE })),
      ],
      validators: validators.map(({ key }, index) => ({
        publicKey: key.signer.publicKey,
        rewardAddress: rewards[index] ?? new Uint8Array(20),
      })),
      // Even if it starts with one validator: others can join a network.
      staking: { max_validators: MAX_VALIDATORS },
      ...(hardfork !== undefined && { hardfork }),
    }),
    params: { ...DEFAULT_PARAMS, version: { app: APP_VERSION } },
  })
}
