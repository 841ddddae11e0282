/** The staking contract on an EVM of its own: a genesis with validators, calls of accounts, and the ends of blocks. */
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Abi,
  type ContractFunctionName,
  type ContractFunctionReturnType,
} from 'viem'
import { EMPTY_BYTES, equalBytes, utf8 } from '../../src/base/bytes.ts'
import { fromHex, toHex, toHexDigits, type Hex } from '../../src/base/hex.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { defaultAppState, type NewChain } from '../../src/chain/defaultGenesis.ts'
import type { DoubleSign } from '../../src/chain/executed.ts'
import { parseGenesis } from '../../src/chain/genesis.ts'
import { STAKING_ADDRESS } from '../../src/chain/predeploys.ts'
import { endBlock, SYSTEM_CALL_GAS } from '../../src/chain/staking/endBlock.ts'
import { solidityStorage } from '../../src/chain/staking/solidityStorage.ts'
import {
  readSet,
  SYSTEM_ADDRESS,
  type ValidatorPower,
} from '../../src/chain/staking/validatorSet.ts'
import { hardforkAt } from '../../src/chain/upgrades/hardfork.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { emptyState } from '../../src/evm/emptyState.ts'
import { overlay } from '../../src/evm/overlay.ts'
import { EMPTY_CODE_HASH, type BlockEnvironment } from '../../src/evm/types.ts'
import { Staking } from '../../src/generated/contracts.ts'

export const UNIT = 10n ** 18n

type StakingAbi = typeof Staking.abi
const ABI: Abi = Staking.abi
type Writes = ContractFunctionName<StakingAbi, 'nonpayable' | 'payable'>
type Views = ContractFunctionName<StakingAbi, 'view'>

/** An account of the tests: they are all rich. */
export const account = (index: number): Hex => toHex(new Uint8Array(20).fill(0xa0).fill(index, 19))
/** The key of the validator that account `index` operates; others for keys that it changes to. */
export const validatorKey = (index: number): Hex => toHex(new Uint8Array(32).fill(1 + index))
export const consensusOf = (publicKey: Hex): Hex => toHex(sha256(fromHex(publicKey)).slice(0, 20))

export const RICH = 10n ** 24n

/** Outcome of a call: undefined, or the name of the error that it reverted with. */
export type CallResult = { readonly error: string | undefined; readonly gasUsed: bigint }

/** A chain with `validators` validators of ten units each, operated by the first accounts. */
export function createStakingRig(
  validators: number,
  staking: NonNullable<NewChain['staking']>,
  accounts = 10,
  chain: Pick<NewChain, 'hardfork' | 'upgrades'> = {},
) {
  const operators = Array.from({ length: validators }, (_, index) => ({
    publicKey: fromHex(validatorKey(index)),
    rewardAddress: fromHex(account(index)),
  }))
  const appState = defaultAppState({
    ...chain,
    accounts: Array.from({ length: accounts }, (_, index) => ({
      address: fromHex(account(index)),
      balance: RICH,
    })),
    validators: operators,
    staking: { max_validators: 3, ...staking },
  })
  const { alloc, rules } = parseGenesis('assay_271828-1', utf8(JSON.stringify(appState)))
  if (rules.staking === undefined) throw new Error('the chain has no stake')
  const stakingRules = rules.staking
  const world = overlay({
    ...emptyState,
    // As the store does: code that no account has is never requested.
    code(codeHash) {
      if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
      throw new Error('the code of an account is not stored')
    },
  })
  world.apply(alloc)
  const engine = createEngine()
  let height = 1
  let timestamp = 1_800_000_000n

  const environment = (): BlockEnvironment => ({
    hardfork: hardforkAt(rules, world, height),
    chainId: rules.chainId,
    height,
    timestamp,
    coinbase: new Uint8Array(20),
    gasLimit: rules.blockGasLimit,
    baseFeePerGas: 0n,
    prevRandao: new Uint8Array(32),
    blobBaseFee: 1n,
  })

  const execute = (caller: Hex, data: Hex, value: bigint, gasLimit = 30_000_000n) =>
    engine.execute(
      {
        caller: fromHex(caller),
        to: STAKING_ADDRESS,
        value,
        data: fromHex(data),
        gasLimit,
        gasPrice: 0n,
        origin: fromHex(caller),
        nonce: 0n,
        accessList: [],
      },
      environment(),
      world,
    )

  /** Writes variables of the contract. */
  function put(variables: Parameters<typeof solidityStorage>[1]): void {
    const effect = {
      address: STAKING_ADDRESS,
      account: world.account(STAKING_ADDRESS),
      storageCleared: false,
      storage: solidityStorage(Staking.storageLayout, variables),
    }
    world.apply(new Map([[toHexDigits(STAKING_ADDRESS), effect]]))
  }

  return {
    world,
    put,
    rules,
    height: () => height,
    timestamp: () => timestamp,
    balance: (address: Hex) => world.account(fromHex(address))?.balance ?? 0n,
    /** Gas that the end of this block would use. */
    async endBlockGas(): Promise<bigint> {
      const data = encodeFunctionData({ abi: ABI, functionName: 'endBlock', args: [[], []] })
      const { status, gasUsed } = execute(toHex(SYSTEM_ADDRESS), data, 0n, SYSTEM_CALL_GAS)
      if (status !== 'success') throw new Error('the end of the block fails')
      return gasUsed
    },
    /** The last set that engines were notified of. */
    engineSet: () => readSet(world),
    /** Makes an operator the one that proved to have a key, which may be none that anybody has. */
    prove(operator: Hex, publicKey: Hex) {
      put({ provenBy: new Map([[fromHex(consensusOf(publicKey)), BigInt(operator)]]) })
    },
    /** Goes on in time, within the same block. */
    wait(seconds: bigint) {
      timestamp += seconds
    },
    async send(
      caller: Hex,
      functionName: Writes,
      args: readonly unknown[],
      value = 0n,
    ): Promise<CallResult> {
      const data = encodeFunctionData({ abi: ABI, functionName, args })
      const outcome = execute(caller, data, value)
      const { status, output, gasUsed } = outcome
      if (status === 'success') {
        world.apply(outcome.effects)
        return { error: undefined, gasUsed }
      }
      if (status === 'halt' || output.length === 0) throw new Error(outcome.error || 'no reason')
      const { errorName } = decodeErrorResult({ abi: Staking.abi, data: toHex(output) })
      return { error: errorName, gasUsed }
    },
    async read<Name extends Views>(
      functionName: Name,
      ...args: readonly unknown[]
    ): Promise<ContractFunctionReturnType<StakingAbi, 'view', Name>> {
      const call = { abi: ABI, functionName: functionName as string, args }
      const data = encodeFunctionData(call)
      const { status, output } = execute(account(0), data, 0n)
      if (status !== 'success') throw new Error(`${functionName} fails`)
      const result: unknown = decodeFunctionResult({ ...call, data: toHex(output) })
      return result as ContractFunctionReturnType<StakingAbi, 'view', Name>
    },
    /** Ends the block with an income. Returns what changes in the set, and begins the next block a second later. */
    async endBlock(
      income = 0n,
      absent: readonly Hex[] = [],
      doubleSigns: readonly DoubleSign[] = [],
    ): Promise<readonly ValidatorPower[]> {
      const block = { absent: absent.map((address) => fromHex(address)), doubleSigns }
      const { updates } = endBlock(
        { engine, environment: environment(), world },
        stakingRules,
        block,
        income,
      )
      height++
      timestamp++
      return updates
    },
  }
}

export type StakingRig = ReturnType<typeof createStakingRig>
