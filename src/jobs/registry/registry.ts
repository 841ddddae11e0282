/** The operators' registry (contracts/OperatorRegistry.sol) over a chain's JSON-RPC. */
import { bytesToBigint } from '../../base/bytes.ts'
import { publicKeyOf } from '../../base/secp256k1.ts'
import type { JobType } from '../../proof/job/job.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { decodeInteger, decodeWords, encodeCall } from '../onchain/abi.ts'
import type { EvmChain } from '../onchain/chain.ts'

/** An operator's entry in the registry. Amounts are in the smallest unit. */
export type OperatorRecord = {
  readonly start: number
  readonly end: number
  readonly types: readonly JobType[]
  /** Unix time in seconds; 0 if nothing is being withdrawn. */
  readonly withdrawableAt: number
  readonly stake: bigint
  readonly withdrawing: bigint
  readonly isActive: boolean
}

const TYPE_BITS: Readonly<Record<JobType, number>> = { opml: 1, tee: 2 }

const integer = (word: Uint8Array | undefined): bigint => bytesToBigint(word ?? new Uint8Array(0))

/**
 * An operator's selection range, while its stake covers it; undefined for unregistered operators, or without a
 * contract.
 */
export async function registeredRange(
  chain: EvmChain,
  contract: Uint8Array,
  operator: Uint8Array,
): Promise<SelectionRange | undefined> {
  const answer = await chain.view(contract, encodeCall('operatorRanges(address)', operator))
  if (answer.length === 0) return undefined
  const [start, end] = decodeWords(answer, 2).map((word) => Number(bytesToBigint(word)))
  if (start === undefined || end === undefined || end === 0) return undefined
  const max = Number(decodeInteger(await chain.view(contract, encodeCall('MAX_RANGE()'))))
  return { start, end, max }
}

/** The entry of an operator, or undefined if there is none. */
export async function operatorRecord(
  chain: EvmChain,
  contract: Uint8Array,
  operator: Uint8Array,
): Promise<OperatorRecord | undefined> {
  const [answer, active] = await Promise.all([
    chain.view(contract, encodeCall('recordOf(address)', operator)),
    chain.view(contract, encodeCall('isActive(address)', operator)),
  ])
  const [start, end, types, withdrawableAt, stake, withdrawing, keyX] = decodeWords(answer, 8)
  if (integer(keyX) === 0n) return undefined
  const bits = Number(integer(types))
  return {
    start: Number(integer(start)),
    end: Number(integer(end)),
    types: (['opml', 'tee'] as const).filter((type) => (bits & TYPE_BITS[type]) !== 0),
    withdrawableAt: Number(integer(withdrawableAt)),
    stake: integer(stake),
    withdrawing: integer(withdrawing),
    isActive: decodeInteger(active) === 1n,
  }
}

/** The entry that an operator registers. */
export type Registration = {
  readonly start: number
  readonly end: number
  readonly types: readonly JobType[]
}

const bitsOf = (types: readonly JobType[]): number =>
  types.reduce((bits, type) => bits | TYPE_BITS[type], 0)

/** Call data that registers the account of a key (32 bytes). */
export function registerCall(
  { start, end, types }: Registration,
  privateKey: Uint8Array,
): Uint8Array {
  const publicKey = publicKeyOf(privateKey)
  return encodeCall(
    'register(uint32,uint32,uint8,bytes32,bytes32)',
    start,
    end,
    bitsOf(types),
    publicKey.subarray(1, 33),
    publicKey.subarray(33),
  )
}

/** Call data that changes the sender's selection range and job types. */
export function updateCall({ start, end, types }: Registration): Uint8Array {
  return encodeCall('update(uint32,uint32,uint8)', start, end, bitsOf(types))
}

/** Call data that requests a withdrawal of stake; once the delay is over, `withdrawCall` pays it. */
export function requestWithdrawalCall(amount: bigint): Uint8Array {
  return encodeCall('requestWithdrawal(uint128)', amount)
}

/** Call data that pays out the sender's requested withdrawal. */
export function withdrawCall(): Uint8Array {
  return encodeCall('withdraw()')
}
