import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { list } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
import { toQuantity } from '../../../base/quantity.ts'
import type { BlockHeader } from '../../../chain/block.ts'
import { RpcError } from '../../../wire/errors.ts'
import { readInto } from '../../../wire/goWords.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hexOrDecimal } from '../../parameters/hexOrDecimal.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'
import { rewardsAt } from '../../fees/rewards.ts'
import { blockNumber, findHeight, type NumberSelector } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

const MAX_BLOCKS = 1024
const MAX_PERCENTILES = 100

/** Fees of a range of blocks; `baseFees` has one entry more, for the block after the range. */
type FeeHistory = {
  readonly oldest: number
  readonly baseFees: readonly bigint[]
  readonly gasUsedRatios: readonly number[]
  readonly rewards: readonly (readonly bigint[])[] | undefined
}

const feeHistoryResult: Result<FeeHistory> = {
  schema: z.strictObject({
    oldestBlock: quantityShape,
    baseFeePerGas: z.array(quantityShape),
    gasUsedRatio: z.array(z.number().min(0).max(1)),
    reward: z.array(z.array(quantityShape)).optional(),
  }),
  encode: ({ oldest, baseFees, gasUsedRatios, rewards }) => ({
    oldestBlock: toQuantity(oldest),
    baseFeePerGas: baseFees.map(toQuantity),
    gasUsedRatio: gasUsedRatios,
    ...(rewards && { reward: rewards.map((row) => row.map(toQuantity)) }),
  }),
}

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES)
    throw new RpcError(
      'server',
      `invalid reward percentile: over the query limit ${MAX_PERCENTILES}`,
    )
  for (const [index, percentile] of percentiles.entries()) {
    if (percentile < 0 || percentile > 100)
      throw new RpcError('server', `invalid reward percentile: ${percentile.toFixed(6)}`)
    const previous = percentiles[index - 1]
    if (previous !== undefined && percentile <= previous)
      throw new RpcError(
        'server',
        `invalid reward percentile: #${index - 1}:${previous.toFixed(6)} >= #${index}:${percentile.toFixed(6)}`,
      )
  }
}

function ratioOf({ gasUsed, gasLimit }: BlockHeader): number {
  return Number(gasUsed) / Number(gasLimit)
}

/** Reads the range that ends at the newest block. Rejects with RpcError. */
async function readHistory(
  { chain, fees }: Pick<World, 'chain' | 'fees'>,
  blockCount: bigint,
  newestBlock: NumberSelector,
  percentiles: readonly number[],
): Promise<FeeHistory> {
  const newest = findHeight(chain, newestBlock)
  if (newest === undefined)
    throw new RpcError(
      'server',
      `request beyond head block: requested ${'number' in newestBlock ? newestBlock.number : newestBlock.tag}, head ${chain.latestHeight()}`,
    )
  const count = Math.min(Number(blockCount), MAX_BLOCKS, newest - chain.earliestHeight() + 1)
  if (count < 1) return { oldest: 0, baseFees: [], gasUsedRatios: [], rewards: undefined }
  const headers: BlockHeader[] = []
  const rewards: (readonly bigint[])[] = []
  for (let height = newest - count + 1; height <= newest; height++) {
    const header = chain.header(height)
    if (!header) throw new RpcError('server', 'header not found')
    headers.push(header)
    if (percentiles.length === 0) continue
    rewards.push(rewardsAt(header, chain.receipts(height) ?? [], percentiles))
    // Receipts of many full blocks take long to read; other requests get their turn in between.
    if (header.gasUsed > 0n) await nextTurn()
  }
  const following = chain.header(newest + 1)?.baseFeePerGas ?? fees.nextBaseFee()
  return {
    oldest: newest - count + 1,
    baseFees: [...headers.map((header) => header.baseFeePerGas), following],
    gasUsedRatios: headers.map(ratioOf),
    rewards: percentiles.length === 0 ? undefined : rewards,
  }
}

export const eth_feeHistory = method({
  summary:
    'Base fees, gas used ratios and tips at the given percentiles for up to 1024 blocks, and the next base fee.',
  params: {
    blockCount: hexOrDecimal,
    newestBlock: blockNumber,
    rewardPercentiles: readInto(list(z.number(), BOUNDS.list).nullish(), '[]float64'),
  },
  result: feeHistoryResult,
  handler: (
    world: Pick<World, 'chain' | 'pending' | 'fees'>,
    { blockCount, newestBlock, rewardPercentiles },
  ) => {
    const percentiles = rewardPercentiles ?? []
    checkPercentiles(percentiles)
    return atBlock(world, newestBlock, ({ chain, block }) =>
      readHistory({ chain, fees: world.fees }, blockCount, block, percentiles),
    )
  },
})
