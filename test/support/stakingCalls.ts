/** Random calls of the staking contract, most of them valid. */
import { encodeFunctionData } from 'viem'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { STAKING_ADDRESS } from '../../src/chain/predeploys.ts'
import { Staking } from '../../src/generated/contracts.ts'
import { pick, type Random } from './randomProgram.ts'

const { abi } = Staking
const UNIT = 10n ** 18n

export type StakingCall = {
  readonly to: Uint8Array
  readonly value: bigint
  readonly data: Uint8Array
}

function callData(random: Random, operators: readonly Uint8Array[]): Uint8Array {
  const operator = () => toHex(pick(random, operators))
  const shares = BigInt(random(2_000_000)) * 10n ** 12n
  const bytes = () => Uint8Array.from({ length: 32 }, () => random(256))
  const publicKey = toHex(bytes())
  // Small enough for a signature, so that a proof is refused only after all its arithmetic.
  const scalar = () => toHex(bytes().fill(0, 31))
  const encode = (): `0x${string}` => {
    switch (random(9)) {
      case 0:
      case 1:
        return encodeFunctionData({ abi, functionName: 'undelegate', args: [operator(), shares] })
      case 2:
        return encodeFunctionData({
          abi,
          functionName: 'redelegate',
          args: [operator(), operator(), shares],
        })
      case 3:
        return encodeFunctionData({ abi, functionName: 'withdrawRewards', args: [operator()] })
      case 4:
        return encodeFunctionData({ abi, functionName: 'withdrawCommission', args: [] })
      case 5:
        return encodeFunctionData({ abi, functionName: 'setCommission', args: [random(3000)] })
      case 6:
        return encodeFunctionData({ abi, functionName: 'unjail', args: [] })
      case 7:
        return encodeFunctionData({ abi, functionName: 'reconsider', args: [operator()] })
      default:
        return random(2) === 0
          ? encodeFunctionData({ abi, functionName: 'setConsensusKey', args: [publicKey] })
          : encodeFunctionData({
              abi,
              functionName: 'proveKey',
              args: [publicKey, toHex(bytes()), scalar()],
            })
    }
  }
  return fromHex(encode())
}

/** One call; half of them delegate. */
export function stakingCall(random: Random, operators: readonly Uint8Array[]): StakingCall {
  if (random(2) === 0) return { to: STAKING_ADDRESS, value: 0n, data: callData(random, operators) }
  const args = [toHex(pick(random, operators))] as const
  const data = fromHex(encodeFunctionData({ abi, functionName: 'delegate', args }))
  return { to: STAKING_ADDRESS, value: BigInt(1 + random(20)) * UNIT, data }
}
