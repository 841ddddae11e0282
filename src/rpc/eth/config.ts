import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { bigintToFixedBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { HISTORY_ADDRESS } from '../../evm/blockHashes.ts'
import { method, type Result } from '../../wire/method.ts'
import { addressShape, fixedShape, quantityShape } from '../../wire/shapes.ts'
import type { Node } from '../node.ts'
import { requireHeader } from '../selector.ts'

/** The names of EIP-7910, of everything that is active in Osaka. */
const PRECOMPILES: Readonly<Record<string, number>> = {
  BLAKE2F: 0x9,
  BLS12_G1ADD: 0xb,
  BLS12_G1MSM: 0xc,
  BLS12_G2ADD: 0xd,
  BLS12_G2MSM: 0xe,
  BLS12_MAP_FP2_TO_G2: 0x11,
  BLS12_MAP_FP_TO_G1: 0x10,
  BLS12_PAIRING_CHECK: 0xf,
  BN254_ADD: 0x6,
  BN254_MUL: 0x7,
  BN254_PAIRING: 0x8,
  ECREC: 0x1,
  ID: 0x4,
  KZG_POINT_EVALUATION: 0xa,
  MODEXP: 0x5,
  P256VERIFY: 0x100,
  RIPEMD160: 0x3,
  SHA256: 0x2,
}

const precompiles = Object.fromEntries(
  Object.entries(PRECOMPILES).map(([name, address]) => [
    name,
    toHex(bigintToFixedBytes(BigInt(address), 20)),
  ]),
)

/** Blocks have no room for blobs (D19). The fraction is that of Osaka, which the price of none follows from. */
const BLOB_SCHEDULE = { target: 0, max: 0, baseFeeUpdateFraction: 5_007_716 }

type ForkConfig = { readonly chainId: bigint; readonly genesisHash: Uint8Array }

const forkShape = z.strictObject({
  activationTime: z.int(),
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

const configResult: Result<ForkConfig> = {
  schema: z.strictObject({ current: forkShape, next: z.null(), last: z.null() }),
  encode: ({ chainId, genesisHash }) => ({
    current: {
      activationTime: 0,
      blobSchedule: BLOB_SCHEDULE,
      chainId: toQuantity(chainId),
      // EIP-6122: forks that are active from genesis on add nothing to the checksum of its hash.
      forkId: toHex(bigintToFixedBytes(BigInt(crc32(genesisHash)), 4)),
      precompiles,
      systemContracts: { HISTORY_STORAGE_ADDRESS: toHex(HISTORY_ADDRESS) },
    },
    next: null,
    last: null,
  }),
}

export const eth_config = method({
  summary: 'The fork that is active, which is Osaka from genesis on (EIP-7910, D19).',
  params: {},
  result: configResult,
  handler: ({ chain }: Pick<Node, 'chain'>) => ({
    chainId: chain.chainId,
    genesisHash: requireHeader(chain, { number: 0n }).hash,
  }),
})
