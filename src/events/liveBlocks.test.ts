import { expect, test } from 'vitest'
import type { BlockHeader } from '../chain/block.ts'
import type { ChainReader } from '../chain/reader.ts'
import { createEventBus } from './bus.ts'
import { onNewBlock } from './liveBlocks.ts'

/** A world whose headers contain nothing but their height. */
function createWorld() {
  const chain = {
    header: (height: number) => ({ height }) as BlockHeader,
  } as unknown as ChainReader
  const bus = createEventBus()
  const announce = (height: number) => bus.emit('block', { height })
  return { world: { bus, chain }, announce }
}

/** Announces a block and waits until all current listeners have received it. */
async function announceToAll({ world, announce }: ReturnType<typeof createWorld>, height: number) {
  const heard = new AbortController()
  await new Promise<void>((resolve) => {
    onNewBlock(world, () => resolve(), heard.signal)
    announce(height)
  })
  heard.abort()
}

const turns = (count: number) =>
  new Promise<void>((resolve) => {
    const next = (left: number): void => {
      if (left === 0) resolve()
      else setImmediate(() => next(left - 1))
    }
    next(count)
  })

test('every listener hears every block, in order and with the same header', async () => {
  const created = createWorld()
  const { world, announce } = created
  const { signal } = new AbortController()
  const heard: BlockHeader[][] = [[], [], []]
  for (const list of heard) onNewBlock(world, (header) => list.push(header), signal)
  announce(1)
  announce(2)
  expect(heard).toEqual([[], [], []])
  await announceToAll(created, 3)
  const [first, second, third] = heard
  expect(first?.map(({ height }) => height)).toEqual([1, 2, 3])
  expect(second?.[0]).toBe(first?.[0])
  expect(third).toEqual(first)
})

test('a listener hears the blocks that are committed while it listens, and no others', async () => {
  const created = createWorld()
  const { world, announce } = created
  const ended = new AbortController()
  const heard: number[] = []
  announce(1)
  onNewBlock(world, ({ height }) => heard.push(height), ended.signal)
  announce(2)
  onNewBlock(world, ({ height }) => heard.push(-height), ended.signal)
  await expect.poll(() => heard).toEqual([2])
  announce(3)
  ended.abort()
  await announceToAll(created, 4)
  expect(heard).toEqual([2])
})

test('others are served while many listeners hear of a block', async () => {
  const { world, announce } = createWorld()
  const { signal } = new AbortController()
  let heard = 0
  const workFor = (ms: number): void => {
    for (const until = performance.now() + ms; performance.now() < until;);
  }
  for (let i = 0; i < 50; i++)
    onNewBlock(
      world,
      () => {
        heard++
        workFor(1)
      },
      signal,
    )
  announce(1)
  await turns(3)
  expect(heard).toBeGreaterThan(0)
  expect(heard).toBeLessThan(50)
  await expect.poll(() => heard).toBe(50)
})
