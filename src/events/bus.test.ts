import { expect, test } from 'vitest'
import { createEventBus, publishBlock, type CommittedBlock } from './bus.ts'

const block = { height: 7 } as CommittedBlock

test('a listener that throws is reported, and the ones after it still hear of the block', () => {
  const bus = createEventBus()
  const heard: number[] = []
  const faults: unknown[] = []
  bus.on('block', ({ height }) => heard.push(height))
  bus.on('block', () => {
    throw new Error('broken listener')
  })
  bus.on('block', ({ height }) => heard.push(height + 1))
  publishBlock(bus, block, (error) => faults.push(error))
  expect(heard).toEqual([7, 8])
  expect(faults).toEqual([new Error('broken listener')])
})
