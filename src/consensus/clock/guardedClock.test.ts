import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fakeClock.ts'
import { createGuardedClock } from './guardedClock.ts'

const START = 1_700_000_000_000_000_000n
const HOUR_MS = 3_600_000
const HOUR = BigInt(HOUR_MS) * 1_000_000n
const SECOND = 1_000_000_000n

function open() {
  const clock = createFakeClock(START)
  const steps: number[] = []
  const held: number[] = []
  let slept = 0
  const guarded = createGuardedClock(clock, {
    maxJump: HOUR_MS,
    onStep: (ms) => steps.push(ms),
    onHeld: (ms) => held.push(ms),
    uptime: () => clock.monotonic() + slept,
  })
  return {
    clock,
    guarded,
    steps,
    held,
    sleep(ms: number) {
      slept += ms
      clock.setWallClock(clock.now() + BigInt(ms) * 1_000_000n)
    },
  }
}

// Holds D95.
test('a jump of 400 days is not followed, and what follows it is as if it had never been', async () => {
  const { clock, guarded, held, steps } = open()
  await clock.advance(10_000)
  clock.setWallClock(clock.now() + 400n * 24n * HOUR)
  expect(guarded.now()).toBe(START + 10n * SECOND)
  await clock.advance(5_000)
  expect(guarded.now()).toBe(START + 15n * SECOND)
  expect(held).toEqual([400 * 24 * HOUR_MS])
  clock.setWallClock(START + 15n * SECOND)
  expect(guarded.now()).toBe(START + 15n * SECOND)
  expect(steps).toEqual([])
})

test('while the clock is not followed, there is a warning each minute', async () => {
  const { clock, guarded, held } = open()
  clock.setWallClock(START + 2n * HOUR)
  for (let second = 0; second < 150; second++) {
    guarded.now()
    await clock.advance(1000)
  }
  expect(held).toHaveLength(3)
})

test('steps within the bound are followed and told: by NTP, ahead and back', async () => {
  const { clock, guarded, steps, held } = open()
  for (const step of [2n, 600n, -1200n, 700n]) {
    await clock.advance(1000)
    clock.setWallClock(clock.now() + step * SECOND)
    expect(guarded.now()).toBe(clock.now())
  }
  expect(steps).toEqual([600_000, -1_200_000, 700_000])
  expect(held).toEqual([])
})

test('a clock that goes back by a year and comes back is followed both times', async () => {
  const { clock, guarded, held } = open()
  clock.setWallClock(START - 365n * 24n * HOUR)
  expect(guarded.now()).toBe(START - 365n * 24n * HOUR)
  await clock.advance(60_000)
  clock.setWallClock(START + 60n * SECOND)
  expect(guarded.now()).toBe(START + 60n * SECOND)
  expect(held).toEqual([])
})

test('a machine that slept for a week tells the right time when it wakes', async () => {
  const { clock, guarded, sleep, held, steps } = open()
  await clock.advance(1000)
  sleep(7 * 24 * HOUR_MS)
  expect(guarded.now()).toBe(clock.now())
  expect([...held, ...steps]).toEqual([])
})
