/** Time that is set by hand. */
import { toQuantity } from '../../base/quantity.ts'
import { method, type Result } from '../../wire/method.ts'
import { quantityShape } from '../../wire/shapes.ts'
import { amount, type World } from './method.ts'
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

export const setNextBlockTimestamp = method({
  summary: 'Sets the time of the next block, in seconds since 1970.',
  params: { timestamp: amount },
  result: secondsResult,
  handler: (world: World, { timestamp }) => {
    setNextTimestamp(world, timestamp)
    return timestamp
  },
})
