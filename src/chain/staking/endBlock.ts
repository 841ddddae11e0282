/** The end of a block: income goes to the staking contract, which is told about votes and returns the validator set (D52). */
import { bigintToFixedBytes, concatBytes, padLeft, utf8 } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Overlay } from '../../evm/overlay.ts'
import type { BlockEnvironment, Engine, Log } from '../../evm/types.ts'
import type { DecidedBlock, DoubleSign, StakingRules } from '../executed.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import {
  decodeSet,
  differenceOf,
  readSet,
  SYSTEM_ADDRESS,
  writeSet,
  type ValidatorPower,
} from './validatorSet.ts'

/**
 * Gas of the system call, not counted in the block's. An election among the maximum number of candidates needs less
 * than a fifth of it.
 */
export const SYSTEM_CALL_GAS = 100_000_000n

const NANOSECONDS = 1_000_000_000n
const SELECTOR = keccak256(utf8('endBlock(address[],(address,uint64,uint64)[])')).slice(0, 4)

const word = (value: bigint | number): Uint8Array => bigintToFixedBytes(BigInt(value), 32)

/** Call data of `endBlock`. A validator counts once, however often it is reported. */
function encodeCall({ absent, doubleSigns }: Pick<DecidedBlock, 'absent' | 'doubleSigns'>) {
  const offences = new Map<string, DoubleSign>()
  for (const offence of doubleSigns) {
    const key = toHexDigits(offence.validator)
    if (!offences.has(key)) offences.set(key, offence)
  }
  return concatBytes(
    SELECTOR,
    word(64),
    word(96 + 32 * absent.length),
    word(absent.length),
    ...absent.map((address) => padLeft(address, 32)),
    word(offences.size),
    ...[...offences.values()].flatMap(({ validator, height, timeNs }) => [
      padLeft(validator, 32),
      word(height),
      word(timeNs / NANOSECONDS),
    ]),
  )
}

/** Newly minted amount of a block, by the time since the previous one. */
export function inflationOf({ inflationPerSecond }: StakingRules, elapsedNs: bigint): bigint {
  return (inflationPerSecond * elapsedNs) / NANOSECONDS
}

/** Where a block is executed: `world` is the state so far. */
export type BlockStage = {
  readonly engine: Engine
  readonly environment: BlockEnvironment
  readonly world: Overlay
}

/** The result of the end of a block. */
export type BlockEnd = {
  /** Changes of the validator set, sorted by key. */
  readonly updates: readonly ValidatorPower[]
  /** Logs of the contract; they are in no receipt. */
  readonly logs: readonly Log[]
}

const NOTHING: BlockEnd = { updates: [], logs: [] }

/**
 * Ends a block on its state: credits the contract with the income of the block, makes the system call and returns its
 * result. A call that fails, or returns an invalid set, changes nothing except the balance, which the next call
 * distributes.
 */
export function endBlock(
  { engine, environment, world }: BlockStage,
  rules: StakingRules,
  block: Pick<DecidedBlock, 'absent' | 'doubleSigns'>,
  income: bigint,
): BlockEnd {
  const contract = world.account(STAKING_ADDRESS)
  if (contract === undefined) return NOTHING
  if (income > 0n)
    world.setAccount(STAKING_ADDRESS, { ...contract, balance: contract.balance + income })
  const { status, output, effects, logs } = engine.execute(
    {
      caller: SYSTEM_ADDRESS,
      to: STAKING_ADDRESS,
      value: 0n,
      data: encodeCall(block),
      gasLimit: SYSTEM_CALL_GAS,
      gasPrice: 0n,
      origin: SYSTEM_ADDRESS,
      nonce: 0n,
      accessList: [],
    },
    environment,
    world,
  )
  const set = status === 'success' ? decodeSet(output, rules.maxValidators) : undefined
  if (set === undefined) return NOTHING
  world.apply(effects)
  if (set.length === 0) return { updates: [], logs }
  const before = readSet(world)
  const updates = differenceOf(before, set)
  if (updates.length > 0) world.apply(writeSet(set, before.length))
  return { updates, logs }
}
