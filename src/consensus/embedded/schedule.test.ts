import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fakeClock.ts'
import { createSchedule } from './schedule.ts'

const INTERVAL = 1_000

/** A schedule whose blocks take so many milliseconds, and the times at which they were started. */
function startSchedule(work: number, { gatherWindow = 20, isBusy = false } = {}) {
  const clock = createFakeClock(0n)
  const begun: number[] = []
  const schedule = createSchedule({
    clock,
    gatherWindow,
    blockInterval: INTERVAL,
    async produce() {
      begun.push(clock.monotonic())
      if (work > 0) await clock.sleep(work)
    },
    hasTransactions: () => isBusy,
  })
  schedule.start()
  return { clock, schedule, begun }
}

test('a transaction gets a block after the window, and without one blocks keep their interval', async () => {
  const { clock, schedule, begun } = startSchedule(0)
  await clock.advance(500)
  schedule.notify()
  await clock.advance(10)
  schedule.notify()
  await clock.advance(2_000)
  expect(begun).toEqual([0, 520, 1_520])
})

test('what arrives while a block is made waits for no longer than twice as long as that took', async () => {
  const { clock, schedule, begun } = startSchedule(4)
  await clock.advance(1)
  schedule.notify()
  await clock.advance(100)
  expect(begun).toEqual([0, 21])

  const slow = startSchedule(25)
  await slow.clock.advance(1)
  slow.schedule.notify()
  await slow.clock.advance(100)
  expect(slow.begun).toEqual([0, 75])
})

// Holds D23.
test('under load no block rests for longer than three windows', async () => {
  const { clock, begun } = startSchedule(200, { isBusy: true })
  await clock.advance(600)
  expect(begun).toEqual([0, 260, 520])

  const without = startSchedule(200, { isBusy: true, gatherWindow: 0 })
  await without.clock.advance(500)
  expect(without.begun).toEqual([0, 200, 400])
})

test('a stopped schedule makes nothing more', async () => {
  const { clock, schedule, begun } = startSchedule(0)
  await clock.advance(1)
  await schedule.stop()
  schedule.notify()
  await clock.advance(5_000)
  expect(begun).toEqual([0])
})
