/** Time that is set by hand. */
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import { amount, doneResult, type World } from './method.ts'
import { setNextTimestamp } from './mining.ts'

const secondsResult: Result<bigint> = { schema: quantityShape, encode: toQuantity }

export const increaseTime = method({
  summary: 'Moves the time of the blocks that follow forward by seconds; gives by how much in all.',
  params: { seconds: amount },
  result: secondsResult,
  handler: ({ development }: World, { seconds }) => {
    const total = development.increaseTime(seconds)
    return total < 0n ? 0n : total
  },
})

export const setTime = method({
  summary:
    'Sets the time that blocks go on from, in seconds since 1970; gives by how many seconds it moves.',
  params: { timestamp: amount },
  result: secondsResult,
  handler: ({ development, chain }: World, { timestamp }) => {
    const last = (chain.header(chain.latestHeight())?.timeNs ?? 0n) / 1_000_000_000n
    development.setTime(timestamp)
    return timestamp > last ? timestamp - last : 0n
  },
})

export const setBlockTimestampInterval = method({
  summary: 'Puts so many seconds between a block and the next one, whatever the clock says.',
  params: { seconds: amount },
  result: doneResult,
  handler: ({ development }: World, { seconds }) => development.setStep(seconds),
})

export const removeBlockTimestampInterval = method({
  summary: 'Lets the clock decide again when blocks are; whether it did not.',
  params: {},
  result: booleanResult,
  handler: ({ development }: World) => development.setStep(undefined),
})

export const setNextBlockTimestamp = method({
  summary: 'Sets the time of the next block, in seconds since 1970.',
  params: { timestamp: amount },
  result: secondsResult,
  handler: (world: World, { timestamp }) => {
    setNextTimestamp(world, timestamp)
    return timestamp
  },
})
