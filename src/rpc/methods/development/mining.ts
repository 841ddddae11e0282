/** Blocks on demand. */
import { z } from 'zod'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { amount, doneResult, type World } from './method.ts'

/** Most blocks of one call. */
const MAX_BLOCKS = 100_000n

const evmMineResult: Result<unknown> = { schema: z.literal('0x0'), encode: () => '0x0' }

async function mineBlocks(
  { development, chain }: World,
  count: bigint,
  interval: bigint | undefined,
): Promise<void> {
  if (count > MAX_BLOCKS)
    throw new RpcError('invalidParams', `${MAX_BLOCKS} blocks at most in one call`)
  const first = chain.latestHeight()
  if (count > 0n) await development.mine(Number(count), interval)
  if (count > 0n && chain.latestHeight() === first)
    throw new RpcError('server', 'no block could be made')
}

export const evmMine = method({
  summary: 'Makes a block, at a time in seconds where one is given.',
  params: {
    options: z
      .union([amount, z.object({ timestamp: amount.nullish(), blocks: amount.nullish() })])
      .nullish(),
  },
  result: evmMineResult,
  handler: async (world: World, { options }) => {
    const { timestamp, blocks } =
      typeof options === 'bigint' ? { timestamp: options, blocks: 1n } : (options ?? {})
    if (timestamp != null) setNextTimestamp(world, timestamp)
    await mineBlocks(world, blocks ?? 1n, undefined)
  },
})

export const mine = method({
  summary: 'Makes blocks, one unless a count is given, so many seconds apart.',
  params: { count: amount.nullish(), interval: amount.nullish() },
  result: doneResult,
  handler: (world: World, { count, interval }) =>
    // Tools write 0 for no interval.
    mineBlocks(world, count ?? 1n, interval === null || interval === 0n ? undefined : interval),
})

export const setAutomine = method({
  summary: 'Whether each transaction gets a block at once, before its sender is answered.',
  params: { isOn: z.boolean() },
  result: doneResult,
  handler: ({ development }: World, { isOn }) => development.setAutomine(isOn),
})

export const getAutomine = method({
  summary: 'Whether each transaction gets a block at once.',
  params: {},
  result: booleanResult,
  handler: ({ development }: World) => development.isAutomine(),
})

/** Seconds for anvil, milliseconds for Hardhat. */
const intervalMining = (unit: string, factor: number) =>
  method({
    summary: `Makes a block every so many ${unit}; 0 ends that.`,
    params: { interval: amount },
    result: doneResult,
    handler: ({ development }: World, { interval }) =>
      development.setInterval(Number(interval) * factor),
  })

export const setIntervalMilliseconds = intervalMining('milliseconds', 1)
export const setIntervalSeconds = intervalMining('seconds', 1000)

const intervalResult: Result<number> = {
  schema: z.number().nullable(),
  encode: (seconds) => (seconds > 0 ? seconds : null),
}

export const getIntervalSeconds = method({
  summary: 'After how many seconds a block is made; null where only what is asked for is made.',
  params: {},
  result: intervalResult,
  handler: ({ development }: World) => development.interval() / 1000,
})

/** Throws RpcError when the time is not later than that of the last block. */
export function setNextTimestamp({ development, chain }: World, seconds: bigint): void {
  if (development.setNextTimestamp(seconds)) return
  const last = (chain.header(chain.latestHeight())?.timeNs ?? 0n) / 1_000_000_000n
  throw new RpcError(
    'invalidParams',
    `Timestamp ${seconds} is lower than or equal to previous block's timestamp ${last}`,
  )
}
