/** Blocks on demand. */
import { z } from 'zod'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { amount, doneResult, type DevelopmentParts } from './method.ts'

/** Maximum number of blocks per call. */
const MAX_BLOCKS = 100_000n

const evmMineResult: Result<unknown> = { schema: z.literal('0x0'), encode: () => '0x0' }

async function mineBlocks(
  { development, chain }: DevelopmentParts,
  count: bigint,
  interval: bigint | undefined,
): Promise<void> {
  if (count > MAX_BLOCKS)
    throw new RpcError('invalidParams', `at most ${MAX_BLOCKS} blocks per call`)
  const first = chain.latestHeight()
  if (count > 0n) await development.mine(Number(count), interval)
  if (count > 0n && chain.latestHeight() === first)
    throw new RpcError('server', 'no block could be made')
}

export const evmMine = method({
  summary: 'Mines a block, optionally with a given timestamp in seconds.',
  params: {
    options: z
      .union([amount, z.object({ timestamp: amount.nullish(), blocks: amount.nullish() })])
      .nullish(),
  },
  result: evmMineResult,
  handler: async (world: DevelopmentParts, { options }) => {
    const { timestamp, blocks } =
      typeof options === 'bigint' ? { timestamp: options, blocks: 1n } : (options ?? {})
    if (timestamp != null) setNextTimestamp(world, timestamp)
    await mineBlocks(world, blocks ?? 1n, undefined)
  },
})

export const mine = method({
  summary: 'Mines blocks: how many (default 1), and the seconds between them.',
  params: { count: amount.nullish(), interval: amount.nullish() },
  result: doneResult,
  handler: (world: DevelopmentParts, { count, interval }) =>
    // Tools write 0 to omit the interval.
    mineBlocks(world, count ?? 1n, interval === null || interval === 0n ? undefined : interval),
})

export const setAutomine = method({
  summary:
    'Turns automine on or off. With automine, each transaction is mined before its sender gets a response.',
  params: { isOn: z.boolean() },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { isOn }) => development.setAutomine(isOn),
})

export const getAutomine = method({
  summary: 'Whether automine is on.',
  params: {},
  result: booleanResult,
  handler: ({ development }: DevelopmentParts) => development.isAutomine(),
})

/** Seconds for anvil, milliseconds for Hardhat. */
const intervalMining = (unit: string, factor: number) =>
  method({
    summary: `Sets the interval at which blocks are mined, in ${unit}; 0 turns interval mining off.`,
    params: { interval: amount },
    result: doneResult,
    handler: ({ development }: DevelopmentParts, { interval }) =>
      development.setInterval(Number(interval) * factor),
  })

export const setIntervalMilliseconds = intervalMining('milliseconds', 1)
export const setIntervalSeconds = intervalMining('seconds', 1000)

const intervalResult: Result<number> = {
  schema: z.number().nullable(),
  encode: (seconds) => (seconds > 0 ? seconds : null),
}

export const getIntervalSeconds = method({
  summary: 'Interval at which blocks are mined, in seconds; null if interval mining is off.',
  params: {},
  result: intervalResult,
  handler: ({ development }: DevelopmentParts) => development.interval() / 1000,
})

/** Throws RpcError when the time is not later than that of the last block. */
export function setNextTimestamp({ development, chain }: DevelopmentParts, seconds: bigint): void {
  if (development.setNextTimestamp(seconds)) return
  const last = (chain.header(chain.latestHeight())?.timeNs ?? 0n) / 1_000_000_000n
  throw new RpcError(
    'invalidParams',
    `Timestamp ${seconds} is lower than or equal to previous block's timestamp ${last}`,
  )
}
