/** Setting the time by hand. */
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import { amount, doneResult, type DevelopmentParts } from './method.ts'
import { setNextTimestamp } from './mining.ts'

const secondsResult: Result<bigint> = { schema: quantityShape, encode: toQuantity }

export const increaseTime = method({
  summary:
    'Moves the time of the following blocks forward by a number of seconds; returns the total offset.',
  params: { seconds: amount },
  result: secondsResult,
  handler: ({ development }: DevelopmentParts, { seconds }) => {
    const total = development.increaseTime(seconds)
    return total < 0n ? 0n : total
  },
})

export const setTime = method({
  summary:
    'Sets the time from which blocks continue, as a Unix timestamp; returns by how many seconds it moved.',
  params: { timestamp: amount },
  result: secondsResult,
  handler: ({ development, chain }: DevelopmentParts, { timestamp }) => {
    const last = (chain.header(chain.latestHeight())?.timeNs ?? 0n) / 1_000_000_000n
    development.setTime(timestamp)
    return timestamp > last ? timestamp - last : 0n
  },
})

export const setBlockTimestampInterval = method({
  summary: 'Sets a fixed number of seconds between block timestamps, regardless of the clock.',
  params: { seconds: amount },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { seconds }) => development.setStep(seconds),
})

export const removeBlockTimestampInterval = method({
  summary:
    'Lets block timestamps follow the clock again; returns whether a fixed interval was set.',
  params: {},
  result: booleanResult,
  handler: ({ development }: DevelopmentParts) => development.setStep(undefined),
})

export const setNextBlockTimestamp = method({
  summary: 'Sets the time of the next block, as a Unix timestamp.',
  params: { timestamp: amount },
  result: secondsResult,
  handler: (world: DevelopmentParts, { timestamp }) => {
    setNextTimestamp(world, timestamp)
    return timestamp
  },
})
