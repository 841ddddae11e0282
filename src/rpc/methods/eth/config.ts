import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { bigintToFixedBytes } from '../../../base/bytes.ts'
import { toHex } from '../../../base/hex.ts'
import { toQuantity } from '../../../base/quantity.ts'
import { timestampOf } from '../../../chain/block.ts'
import { forkSchedule, type ForkStart } from '../../../chain/upgrades/hardfork.ts'
import { HISTORY_ADDRESS } from '../../../evm/blockHashes.ts'
import { includesFork, type Hardfork } from '../../../evm/rules.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { addressShape, fixedShape, quantityShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'

type Precompiles = Readonly<Record<string, number>>

/** The names of EIP-7910; for each fork, those that it added. */
const PRECOMPILES: readonly (readonly [Hardfork, Precompiles])[] = [
  [
    'cancun',
    {
      BLAKE2F: 0x9,
      BN254_ADD: 0x6,
      BN254_MUL: 0x7,
      BN254_PAIRING: 0x8,
      ECREC: 0x1,
      ID: 0x4,
      KZG_POINT_EVALUATION: 0xa,
      MODEXP: 0x5,
      RIPEMD160: 0x3,
      SHA256: 0x2,
    },
  ],
  [
    'prague',
    {
      BLS12_G1ADD: 0xb,
      BLS12_G1MSM: 0xc,
      BLS12_G2ADD: 0xd,
      BLS12_G2MSM: 0xe,
      BLS12_MAP_FP2_TO_G2: 0x11,
      BLS12_MAP_FP_TO_G1: 0x10,
      BLS12_PAIRING_CHECK: 0xf,
    },
  ],
  ['osaka', { P256VERIFY: 0x100 }],
]

function precompilesOf(hardfork: Hardfork): Readonly<Record<string, string>> {
  const active = PRECOMPILES.filter(([fork]) => includesFork({ hardfork }, fork))
  const entries = active.flatMap(([, added]) => Object.entries(added))
  return Object.fromEntries(
    entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, address]) => [name, toHex(bigintToFixedBytes(BigInt(address), 20))]),
  )
}

/** Blocks have no room for blobs (D19). The update fraction is still the fork's. */
const updateFraction = (hardfork: Hardfork): number =>
  includesFork({ hardfork }, 'prague') ? 5_007_716 : 3_338_477

/** A fork, and what its configuration is reported with. */
type ForkConfig = ForkStart & {
  readonly chainId: bigint
  /** Seconds; undefined when the block is in the future, or not stored. */
  readonly activationTime: number | undefined
  /** EIP-6122, with heights instead of times. */
  readonly forkId: number
}

type ForkConfigs = {
  readonly current: ForkConfig
  readonly next: ForkConfig | undefined
  readonly last: ForkConfig | undefined
}

const forkShape = z.strictObject({
  activationTime: z.int().nullable(),
  activationHeight: z.int().optional(),
  blobSchedule: z.strictObject({
    target: z.int(),
    max: z.int(),
    baseFeeUpdateFraction: z.int(),
  }),
  chainId: quantityShape,
  forkId: fixedShape(4),
  precompiles: z.record(z.string(), addressShape),
  systemContracts: z.record(z.string(), addressShape),
})

function encodeFork({ hardfork, height, chainId, activationTime, forkId }: ForkConfig) {
  return {
    activationTime: activationTime ?? null,
    ...(height > 0 && { activationHeight: height }),
    blobSchedule: { target: 0, max: 0, baseFeeUpdateFraction: updateFraction(hardfork) },
    chainId: toQuantity(chainId),
    forkId: toHex(bigintToFixedBytes(BigInt(forkId), 4)),
    precompiles: precompilesOf(hardfork),
    systemContracts: { HISTORY_STORAGE_ADDRESS: toHex(HISTORY_ADDRESS) },
  }
}

const configResult: Result<ForkConfigs> = {
  schema: z.strictObject({
    current: forkShape,
    next: forkShape.nullable(),
    last: forkShape.nullable(),
  }),
  encode: ({ current, next, last }) => ({
    current: encodeFork(current),
    next: next === undefined ? null : encodeFork(next),
    last: last === undefined ? null : encodeFork(last),
  }),
}

/** Every fork of the chain, by height. */
function forksOf({ chain, rules }: Pick<World, 'chain' | 'rules'>): readonly ForkConfig[] {
  const schedule = forkSchedule(rules, chain.stateAt(chain.latestHeight()))
  const genesis = chain.genesis()
  if (genesis === undefined) throw new RpcError('server', 'the chain has no genesis yet')
  let forkId = crc32(genesis.hash)
  return schedule.map(({ hardfork, height }) => {
    // Forks that are active from genesis on add nothing to the checksum of its hash.
    if (height > 0) forkId = crc32(bigintToFixedBytes(BigInt(height), 8), forkId)
    const header = chain.header(height)
    const time = header && Number(timestampOf(header))
    const activationTime = height === 0 ? 0 : time
    return { hardfork, height, chainId: chain.chainId, activationTime, forkId }
  })
}

export const eth_config = method({
  // See D19.
  summary: 'The active fork, the next one and the last scheduled one (EIP-7910).',
  params: {},
  result: configResult,
  handler: (node: Pick<World, 'chain' | 'rules'>) => {
    const latest = node.chain.latestHeight()
    const forks = forksOf(node)
    const current = forks.findLast(({ height }) => height <= latest)
    if (current === undefined) throw new RangeError('the chain has no fork')
    const toCome = forks.filter(({ height }) => height > latest)
    return { current, next: toCome[0], last: toCome.at(-1) }
  },
})
